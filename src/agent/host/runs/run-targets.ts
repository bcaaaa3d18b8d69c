import type { BackupProgress } from '../../../jobs/progress.ts';
import type { RemainingTarget } from '../../../schedule/preemption.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { MIB } from '../../../model/units.ts';

/** A destination of a backup. */
export type RunTarget = Pick<DestinationEntry, 'id' | 'destination'>;

/** More than a repository may hold back in packs that are not full: only what is beyond that is certainly stored. */
const HELD_BACK_BYTES = 64 * MIB;

interface Remaining {
  readonly heldBack: number;
  /** The bytes that it had got when reading ended. */
  readonly sentBefore: number | undefined;
  readonly progress: BackupProgress | undefined;
}

/** How far a backup is at each of its destinations. */
export class RunTargets {
  readonly #remaining: Map<string, Remaining>;
  #readAt: number | undefined;
  #waitingAt: number | undefined;

  constructor(targets: readonly RunTarget[]) {
    this.#remaining = new Map(
      targets.map(({ id, destination }) => {
        const heldBack = destination.kind === 'service' ? 0 : HELD_BACK_BYTES;
        return [id, { heldBack, sentBefore: undefined, progress: undefined }];
      }),
    );
  }

  /** @param at milliseconds since the epoch */
  update(id: string, progress: BackupProgress, at: number): void {
    const known = this.#remaining.get(id);
    if (!known) return;
    // The set is read once, and completely, before any destination is sent what it lacks.
    if (progress.phase !== 'scanning') this.#readAt ??= at;
    if (isBlocked(progress)) this.#waitingAt ??= at;
    const sentBefore = known.sentBefore ?? (this.#readAt === undefined ? undefined : progress.bytesUploaded);
    this.#remaining.set(id, { heldBack: known.heldBack, sentBefore, progress });
  }

  ended(id: string): void {
    this.#remaining.delete(id);
  }

  get remaining(): readonly RemainingTarget[] {
    const isBeforeReading = [...this.#remaining.values()].every(({ progress }) => progress && isBlocked(progress));
    const readAt = this.#readAt ?? (isBeforeReading ? this.#waitingAt : undefined);
    return [...this.#remaining].map(([destination, { heldBack, sentBefore, progress }]) => ({
      destination,
      readAt,
      hasSent: progress !== undefined && sentBefore !== undefined && progress.bytesUploaded - sentBefore > heldBack,
      isWaiting: progress?.waiting !== undefined,
    }));
  }
}

/** Returns whether a destination is waited for before anything was read. */
function isBlocked({ waiting, filesScanned }: BackupProgress): boolean {
  return waiting !== undefined && filesScanned === 0;
}
