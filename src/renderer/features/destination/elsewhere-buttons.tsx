import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { ChangeDestination } from './change-destination.tsx';

interface ElsewhereButtonsProps {
  readonly destination: ConfiguredDestination;
  /** Whether the backups may be elsewhere: their disk is away, not full. */
  readonly canBeMoved?: boolean;
  readonly onDone?: () => void;
}

/** The ways out for a destination that cannot be used: the backups are elsewhere now, or new ones go elsewhere. */
export function ElsewhereButtons({ destination, canBeMoved = true, onDone }: ElsewhereButtonsProps): ReactElement {
  const words = useLanguage().strings.home.ways;
  const [change, setChange] = useState<'move' | 'begin'>();
  return (
    <>
      {canBeMoved && <Button onPress={() => setChange('move')}>{words.locate}</Button>}
      <Button onPress={() => setChange('begin')}>{words.another}</Button>
      {change && (
        <ChangeDestination
          change={change}
          destination={destination}
          onDone={(message) => {
            setChange(undefined);
            toast(message);
            onDone?.();
          }}
          onClose={() => setChange(undefined)}
        />
      )}
    </>
  );
}
