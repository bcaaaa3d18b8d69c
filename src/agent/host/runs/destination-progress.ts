import type { BackupProgress } from '../../../jobs/progress.ts';
import type { Failure } from '../../../base/errors/failure.ts';
import type { RunAtDestination } from '../../../model/run.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import type { StateChanges } from '../state-changes.ts';

type Row = RunAtDestination;

/** The progress of the active backup at each of its destinations, if there are several. Numbers never decrease. */
export class DestinationProgress {
  readonly #changes: Pick<StateChanges, 'notify'>;
  readonly #rows = new Map<string, Row>();

  constructor(changes: Pick<StateChanges, 'notify'>) {
    this.#changes = changes;
  }

  /** The destinations in their order. `undefined` if the active run is no backup to several. */
  get rows(): RunAtDestination[] | undefined {
    return this.#rows.size > 1 ? [...this.#rows.values()] : undefined;
  }

  /** Returns whether the active backup works on a destination. */
  isActiveAt(destination: string): boolean {
    const row = this.#rows.get(destination);
    return row !== undefined && row.phase !== 'done' && row.phase !== 'failed';
  }

  /** Must be called before a backup begins. */
  begin(destinations: readonly Pick<DestinationEntry, 'id' | 'name'>[]): void {
    this.#rows.clear();
    for (const { id, name } of destinations) {
      this.#rows.set(id, { id, name, phase: 'opening', bytesDone: 0, chunksDone: 0 });
    }
  }

  update(
    destination: string,
    { phase, bytesUploaded, bytesTotal, chunksUploaded, chunksTotal, waiting }: BackupProgress,
  ): void {
    const row = this.#rows.get(destination);
    if (!row || !this.isActiveAt(destination)) return;
    const { waiting: _before, ...known } = row;
    const isKnown = phase !== 'scanning';
    this.#rows.set(destination, {
      ...known,
      phase,
      bytesDone: Math.max(row.bytesDone, bytesUploaded),
      chunksDone: Math.max(row.chunksDone, chunksUploaded),
      ...(isKnown ? { bytesTotal, chunksTotal } : {}),
      ...(waiting === undefined ? {} : { waiting }),
    });
    this.#changes.notify();
  }

  /** @param failure the reason, if it failed */
  ended(destination: string, failure: Failure | undefined): void {
    const row = this.#rows.get(destination);
    if (!row) return;
    const { waiting: _over, ...known } = row;
    this.#rows.set(destination, { ...known, ...(failure ? { phase: 'failed', failure } : { phase: 'done' }) });
    this.#changes.notify();
  }

  /** Must be called when the backup has ended. */
  end(): void {
    this.#rows.clear();
  }
}
