import type { FolderProblem, Need } from '../../../model/need.ts';
import type { Decision } from '../../../model/schedule/decision.ts';
import type { LastRun } from '../../../model/run.ts';
import type { Place } from '../../../model/destination.ts';
import type { Failure } from '../../../base/errors/failure.ts';
import type { KnownLosses } from '../../history/set-history.ts';
import type { Alarm } from '../alarms/alarm-file.ts';

/** The facts about a set at one destination. */
export interface SetFacts {
  readonly name: string;
  readonly decision: Decision;
  readonly isBackingUp: boolean;
  /** The newest backup that ended. */
  readonly lastBackup: LastRun | undefined;
  /** When the newest complete backup ended, in milliseconds since the epoch. */
  readonly lastGoodAt: number | undefined;
  /** The warnings of the newest backup that are new, as texts that identify them. */
  readonly newWarnings: readonly string[];
  /** True if the command after the newest backup failed. */
  readonly hasCommandFailed?: boolean;
  /** The folders that the newest backup did without, as far as the set still has them and reports that. */
  readonly absentFolders: readonly { readonly folder: string; readonly problem: FolderProblem }[];
  /** The newest completed verification, if it found damage. */
  readonly damageFoundBy: number | undefined;
}

/** The facts about one destination. */
export interface DestinationFacts {
  /** `undefined` if there is only one: then no need names it. */
  readonly place: Place | undefined;
  /** Its location, while it is not connected. */
  readonly missingLocation: string | undefined;
  /** It is missing on the disk of the files, which nobody can have unplugged. */
  readonly isLost?: boolean | undefined;
  /** The check that found damage, until a repair. */
  readonly damageFoundBy: number | undefined;
  /** True if the last reading could not vouch for the restore points that it lists. */
  readonly isDoubtful?: boolean;
  /** Files that restore points there lack although nothing is left to repair. */
  readonly losses?: KnownLosses | undefined;
  /** All sets, in the same order at each destination. */
  readonly sets: readonly SetFacts[];
}

/** A set at one destination, with the facts about the destination. */
export interface PlacedSet extends SetFacts {
  readonly at: DestinationFacts;
}

/** Everything that the health depends on. */
export interface HealthFacts {
  readonly now: number;
  /** At least one. */
  readonly destinations: readonly DestinationFacts[];
  /** True if a run of any kind is active. */
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  /** The number of days without a backup that is reported; 0 for never. */
  readonly noBackupDays: number;
  readonly isPhraseConfirmed: boolean;
  /** By how many milliseconds this computer's clock is ahead of the service's (negative: behind), if that is too much. */
  readonly clockAheadMs?: number | undefined;
  /** Suspicious runs that nobody has released. */
  readonly alarms: readonly Alarm[];
  /** Needs of restores that did not continue by themselves. */
  readonly restores?: readonly Need[];
  /** Why the weekly report has not been sent for a day. */
  readonly report?: { readonly at: number; readonly failure: Failure } | undefined;
  /** The sets that can be restored although none is backed up here; `undefined` if it is not known. */
  readonly restorableSets?: number | undefined;
}

/** A need that is no risk by itself. */
export interface Concern {
  readonly need: Need;
  /** True if it needs the person's attention now. */
  readonly isPressing: boolean;
}

export function waitsForDestination({ decision }: SetFacts): boolean {
  return decision.kind === 'waiting' && decision.reason.kind === 'destination';
}

/** The destination of a need, if it names one. */
export function named(place: Place | undefined): { readonly destination?: Place } {
  return place ? { destination: place } : {};
}
