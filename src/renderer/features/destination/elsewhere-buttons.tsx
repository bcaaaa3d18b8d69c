import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { ChangeDestinationButtons } from './change-destination-buttons.tsx';

interface ElsewhereButtonsProps {
  readonly destination: ConfiguredDestination;
  /** Whether the backups may be elsewhere: their disk is away, not full. */
  readonly canBeMoved?: boolean;
  readonly onDone?: () => void;
}

/** The ways out for a destination that cannot be used: the backups are elsewhere now, or new ones go elsewhere. */
export function ElsewhereButtons({ destination, canBeMoved = true, onDone }: ElsewhereButtonsProps): ReactElement {
  const words = useLanguage().strings.home.ways;
  const move = { change: 'move', label: words.locate } as const;
  const begin = { change: 'begin', label: words.another } as const;
  return (
    <ChangeDestinationButtons
      destination={destination}
      choices={canBeMoved ? [move, begin] : [begin]}
      onDone={onDone}
    />
  );
}
