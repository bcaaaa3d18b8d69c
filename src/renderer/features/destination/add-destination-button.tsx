import type { ReactElement } from 'react';
import { useAppState } from '../../bridge/use-app-state.ts';
import { ChangeDestinationButtons } from './change-destination-buttons.tsx';

interface AddDestinationButtonProps {
  readonly label: string;
}

/** Opens the steps that add a destination. */
export function AddDestinationButton({ label }: AddDestinationButtonProps): ReactElement | null {
  const preferred = useAppState((state) => state.destinations[0]);
  return preferred ? <ChangeDestinationButtons destination={preferred} choices={[{ change: 'add', label }]} /> : null;
}
