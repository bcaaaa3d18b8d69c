import { INITIAL_BACKUP_PROGRESS } from '../../../archive/backup/progress-meter.ts';
import type { BackupProgress } from '../../../jobs/progress.ts';

const PHASES = ['scanning', 'uploading', 'committing'] as const;

interface Part {
  readonly progress: BackupProgress;
  readonly hasEnded: boolean;
}

/**
 * The progress of a run to several destinations: files are those that were scanned once, chunks and bytes those of all
 * destinations. The phase is that of the last destination.
 */
export class CombinedProgress {
  readonly #parts: Map<string, Part>;
  readonly #onProgress: (progress: BackupProgress) => void;

  /** @param destinations ids */
  constructor(destinations: readonly string[], onProgress: (progress: BackupProgress) => void) {
    this.#parts = new Map(destinations.map((id) => [id, { progress: INITIAL_BACKUP_PROGRESS, hasEnded: false }]));
    this.#onProgress = onProgress;
  }

  update(destination: string, progress: BackupProgress): void {
    if (this.#parts.get(destination)?.hasEnded !== false) return;
    this.#parts.set(destination, { progress, hasEnded: false });
    this.#onProgress(this.#combined(progress.currentPath));
  }

  /** The phase and the waiting of a destination that is done no longer count. */
  end(destination: string): void {
    const part = this.#parts.get(destination);
    if (!part) return;
    this.#parts.set(destination, { ...part, hasEnded: true });
    if (this.#active.length > 0) this.#onProgress(this.#combined(undefined));
  }

  get #active(): readonly BackupProgress[] {
    return [...this.#parts.values()].flatMap(({ progress, hasEnded }) => (hasEnded ? [] : [progress]));
  }

  #combined(currentPath: string | undefined): BackupProgress {
    const all = [...this.#parts.values()].map(({ progress }) => progress);
    const active = this.#active;
    const sum = (count: (progress: BackupProgress) => number): number =>
      all.reduce((total, progress) => total + count(progress), 0);
    const times = active.flatMap(({ etaSeconds }) => etaSeconds ?? []);
    return {
      kind: 'backup',
      phase: PHASES.find((phase) => active.some((progress) => progress.phase === phase)) ?? 'committing',
      filesScanned: Math.max(...all.map(({ filesScanned }) => filesScanned)),
      bytesScanned: Math.max(...all.map(({ bytesScanned }) => bytesScanned)),
      chunksTotal: sum(({ chunksTotal }) => chunksTotal),
      chunksUploaded: sum(({ chunksUploaded }) => chunksUploaded),
      bytesTotal: sum(({ bytesTotal }) => bytesTotal),
      bytesUploaded: sum(({ bytesUploaded }) => bytesUploaded),
      currentPath: currentPath ?? active.find((progress) => progress.currentPath !== undefined)?.currentPath,
      etaSeconds: times.length === 0 ? undefined : Math.max(...times),
      // Nothing happens only if all wait.
      waiting: active.every(({ waiting }) => waiting !== undefined) ? active[0]?.waiting : undefined,
    };
  }
}
