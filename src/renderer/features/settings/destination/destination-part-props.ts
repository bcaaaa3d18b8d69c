import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import type { DestinationChange } from '../../destination/change-destination.tsx';

export interface DestinationPartProps {
  /** What the last change did. */
  readonly message: string | undefined;
  readonly onChange: (change: DestinationChange, destination: ConfiguredDestination) => void;
}
