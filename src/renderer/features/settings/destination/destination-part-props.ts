import type { View } from '../../../../ipc/contract/contract.ts';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import type { DestinationChange } from '../../destination/change-destination.tsx';

export interface DestinationPartProps {
  /** What the last change did. */
  readonly message: string | undefined;
  readonly onView: (view: View) => void;
  readonly onChange: (change: DestinationChange, destination: ConfiguredDestination) => void;
}
