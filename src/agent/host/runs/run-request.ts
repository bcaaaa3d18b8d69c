import type { ActiveRun, LastRun, Trigger } from '../../../model/run.ts';
import type { Place } from '../../../model/destination.ts';
import type { RunTarget } from './run-targets.ts';

export interface RunRequest {
  readonly kind: ActiveRun['kind'];
  /** Empty for a check or a repair, which concern a destination. */
  readonly set: string;
  readonly trigger: Trigger;
  /** Of a backup: what the newest restore point contains, if there is one. */
  readonly expected?: { readonly files: number; readonly bytes: number } | undefined;
  /** Of a backup: its destinations. */
  readonly targets?: readonly RunTarget[];
  /** The destination of a check or a repair, if there are several. */
  readonly place?: Place;
  /** Its job, if it was recorded when the run was requested. */
  readonly job?: number;
}

/** A run that ended, as the journal has it. */
export interface EndedRun extends RunRequest, LastRun {
  readonly kind: ActiveRun['kind'];
}

/** A run that has begun: it has a job in the journal. */
export interface BegunRun {
  readonly id: number;
  /** Never rejects. */
  readonly ended: Promise<EndedRun>;
}
