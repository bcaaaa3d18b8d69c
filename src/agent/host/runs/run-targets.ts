import type { BackupProgress } from '../../../engine/job/progress.ts';
import type { RemainingTarget } from '../../../engine/schedule/preemption.ts';

/** How far a backup is at each of its destinations. */
export class RunTargets {
  readonly #remaining: Map<string, BackupProgress | undefined>;
  /** The chunks that each had got when reading ended. */
  readonly #sentBefore = new Map<string, number>();
  #readAt: number | undefined;

  /** @param destinations ids */
  constructor(destinations: readonly string[]) {
    this.#remaining = new Map(destinations.map((id) => [id, undefined]));
  }

  /** @param at milliseconds since the epoch */
  update(destination: string, progress: BackupProgress, at: number): void {
    if (!this.#remaining.has(destination)) return;
    this.#remaining.set(destination, progress);
    // The set is read once, and completely, before any destination gets its manifest.
    if (progress.phase !== 'scanning') this.#readAt ??= at;
    if (this.#readAt !== undefined && !this.#sentBefore.has(destination)) {
      this.#sentBefore.set(destination, progress.chunksUploaded);
    }
  }

  ended(destination: string): void {
    this.#remaining.delete(destination);
  }

  get remaining(): readonly RemainingTarget[] {
    return [...this.#remaining].map(([destination, progress]) => ({
      destination,
      readAt: this.#readAt,
      hasSent: progress !== undefined && progress.chunksUploaded > (this.#sentBefore.get(destination) ?? Infinity),
      isWaiting: progress?.waiting !== undefined,
    }));
  }
}
