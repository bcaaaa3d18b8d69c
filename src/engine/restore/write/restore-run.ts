import type { Clock } from '../../../base/clock.ts';
import { HoldfastError, isHoldfastError, type ErrorCode } from '../../../base/errors/errors.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import type { FailureList } from '../failure-list.ts';
import type { PlannedEntry } from '../plan/planned-entry.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import type { ChangeLog } from './change-log.ts';
import type { Metadata, MetadataLoss } from './metadata.ts';
import type { MovedAside } from './moved-aside.ts';
import type { WriteFailure } from './write-files.ts';

/** Time that downloads in flight have to arrive after an interruption. */
const GRACE_MS = 5000;

/** An entry whose data is being written. */
export type WrittenEntry = Pick<PlannedEntry, 'id' | 'path' | 'size' | 'type'>;

export interface RestoreRunOptions {
  readonly failures: FailureList;
  readonly meter: ProgressMeter;
  readonly clock: Clock;
  /** The user's. */
  readonly signal: AbortSignal | undefined;
}

/** The outcome of a restore so far, and whether it continues: shared by all that write for it. */
export class RestoreRun {
  readonly failures: FailureList;
  readonly meter: ProgressMeter;
  /** Keeps what is replaced; `undefined` while nothing is written, and if a restore to another folder replaces it for good. */
  movedAside: MovedAside | undefined;
  /** Records what is changed in the original places. */
  changes: ChangeLog | undefined;
  readonly #clock: Clock;
  readonly #ownUid = process.getuid?.();
  readonly #userSignal: AbortSignal | undefined;
  readonly #abort = new AbortController();
  readonly #idle = new AbortController();
  readonly #losses = new Map<MetadataLoss, string>();
  readonly #failedLeaders = new Map<number, WriteFailure>();
  #error: unknown;
  #stoppedBy: ErrorCode | undefined;
  #filesRestored = 0;
  #bytesWritten = 0;
  #hasForeignOwners = false;

  constructor({ failures, meter, clock, signal }: RestoreRunOptions) {
    this.failures = failures;
    this.meter = meter;
    this.#clock = clock;
    this.#userSignal = signal;
    signal?.addEventListener('abort', () => void this.#abortAfterGrace(), { once: true, signal: this.#idle.signal });
  }

  async #abortAfterGrace(): Promise<void> {
    try {
      await this.#clock.sleep(GRACE_MS, this.#idle.signal);
      this.#abort.abort();
    } catch {
      // Everything ended before the grace period did.
    }
  }

  get filesRestored(): number {
    return this.#filesRestored;
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /** Why no further file is tried. Links and attributes of what was written are still set. */
  get stoppedBy(): ErrorCode | undefined {
    return this.#stoppedBy;
  }

  /** True if no further data should be written. */
  get isStopping(): boolean {
    return this.#stoppedBy !== undefined || this.isAborted;
  }

  /** True if nothing further should be done at all. */
  get isAborted(): boolean {
    return this.#stoppedBy === undefined && (this.#abort.signal.aborted || (this.#userSignal?.aborted ?? false));
  }

  /** The signal of downloads: aborted when the run cannot continue, and a while after the user aborted it. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** True if ownership was not restored although there are entries with other owners. */
  get ownershipNotRestored(): boolean {
    return this.#hasForeignOwners && this.#ownUid !== 0;
  }

  /** Aborts the run with an error that is not one file's. The first one counts. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.#abort.abort();
  }

  /** Must be called when nothing is in flight any more. */
  throwIfFailed(): void {
    this.#idle.abort();
    if (this.#userSignal?.aborted) throw new HoldfastError('interrupted', {}, { cause: this.#userSignal.reason });
    if (this.#error === undefined) return;
    throw isHoldfastError(this.#error) ? this.#error : new Error('a restore ended early', { cause: this.#error });
  }

  succeeded(entry: WrittenEntry): void {
    const [files, bytes] = entry.type === 'file' ? [1, entry.size] : [0, 0];
    this.#filesRestored += files;
    this.#bytesWritten += bytes;
    this.movedAside?.replaced(entry.id);
    this.meter.done(files, bytes, entry.path);
  }

  /** Counts an entry that an earlier run completed. */
  resumed(entry: Pick<WrittenEntry, 'type'>): void {
    if (entry.type === 'file') this.#filesRestored += 1;
  }

  failed(entry: Pick<WrittenEntry, 'id' | 'path'>, failure: WriteFailure, chunk?: string): void {
    this.failures.add(entry.path, failure.reason, chunk, failure.detail);
    this.#failedLeaders.set(entry.id, failure);
    if (failure.reason === 'target_full') this.#stoppedBy = 'target_full';
  }

  /** Why an entry's data is missing, for the other names of its file. */
  failureOf(id: number): WriteFailure | undefined {
    return this.#failedLeaders.get(id);
  }

  /** Records metadata that could not be set. */
  addLosses(path: string, losses: readonly MetadataLoss[] = []): void {
    for (const loss of losses) if (!this.#losses.has(loss)) this.#losses.set(loss, path);
  }

  /** One warning for each kind of metadata that could not be set, with the first entry concerned. */
  warnings(): readonly RunWarning[] {
    return [...this.#losses].map(([loss, path]) => ({ path, reason: WARNINGS[loss.split(' ')[0]!] ?? loss }));
  }

  metadataOf(entry: PlannedEntry): Metadata {
    const { mode, seconds, nanoseconds, uid, gid, xattrs } = entry;
    // Windows has no numbers of owners: what it has is among the attributes.
    if (this.#ownUid !== undefined && uid !== null && uid !== this.#ownUid) this.#hasForeignOwners = true;
    const owner = this.#ownUid === 0 && uid !== null && gid !== null ? { uid, gid } : null;
    return { mode, seconds, nanoseconds, owner, xattrs };
  }
}

const WARNINGS: Readonly<Record<string, string>> = {
  owner: 'owner-not-restored',
  mode: 'mode-not-restored',
  time: 'time-not-restored',
  xattr: 'attribute-not-restored',
};
