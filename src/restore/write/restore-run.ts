import type { Clock } from '../../base/clock.ts';
import { HoldfastError, isHoldfastError, type ErrorCode } from '../../base/errors/errors.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { FailureList } from '../failure-list.ts';
import type { PlannedEntry, Metadata } from '../record/planned-entry.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import type { RecordedChanges } from '../record/recorded-changes.ts';
import { MAX_FAILURES } from '../types.ts';
import { isPassing, metadataOf, type MetadataLoss } from './metadata.ts';
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
  /** Aborted when a person stops the restore. */
  readonly signal: AbortSignal | undefined;
}

/** The outcome of a restore so far, and whether it continues: shared by all that write for it. */
export class RestoreRun {
  readonly failures: FailureList;
  readonly meter: ProgressMeter;
  /** Keeps what is replaced; `undefined` while nothing is written, and if a restore to another folder replaces it for good. */
  movedAside: MovedAside | undefined;
  /** Keeps the logs of other versions of databases, also in a restore to another folder. */
  companionsAside: MovedAside | undefined;
  /** Records what is changed in the original places. */
  changes: RecordedChanges | undefined;
  readonly #clock: Clock;
  readonly #ownUid = process.getuid?.();
  readonly #userSignal: AbortSignal | undefined;
  readonly #abort = new AbortController();
  readonly #idle = new AbortController();
  readonly #warnings: RunWarning[] = [];
  #warningsTotal = 0;
  #hasPassingLosses = false;
  readonly #failedLeaders = new Map<number, WriteFailure>();
  #error: unknown;
  #stoppedBy: ErrorCode | undefined;
  #filesRestored = 0;
  #bytesWritten = 0;
  #hasForeignOwners = false;
  #hasCopiedLinks = false;

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

  /** True if a further name of a file is a copy, since the file system allows no link, or no further one. */
  get hasCopiedLinks(): boolean {
    return this.#hasCopiedLinks;
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
    this.companionsAside?.replaced(entry.id);
    this.meter.done(files, bytes, entry.path);
  }

  /** Counts a further name of a file that got its own copy of the content. @param bytes written */
  copiedLink(bytes: number): void {
    this.#bytesWritten += bytes;
    this.#hasCopiedLinks = true;
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

  /**
   * Records attributes of an entry that could not be set: a warning for each kind.
   *
   * @param made where the restore has made it, as names from the target folder down
   */
  addLosses(path: string, losses: readonly MetadataLoss[] = [], made?: readonly string[]): void {
    if (losses.length === 0) return;
    for (const [attribute, alike] of Map.groupBy(losses, (loss) => loss.attribute)) {
      this.#warningsTotal += 1;
      const detail = alike.flatMap((loss) => loss.name ?? loss.code ?? []).join(', ');
      const warning = { path, reason: WARNINGS[attribute], ...(detail === '' ? {} : { detail }) };
      if (this.#warnings.length < MAX_FAILURES) this.#warnings.push(warning);
      this.#hasPassingLosses ||= alike.some(isPassing);
      if (attribute === 'time' && made) this.changes?.withoutTime(made);
    }
  }

  /** Attributes that could not be set, entry by entry: the first of them. */
  get warnings(): readonly RunWarning[] {
    return this.#warnings;
  }

  get warningsTotal(): number {
    return this.#warningsTotal;
  }

  /** True if a later run of the same restore may set attributes that this one could not. */
  get hasPassingLosses(): boolean {
    return this.#hasPassingLosses;
  }

  /** Returns what an entry is going to have, and notes whether owners are left out. */
  metadataOf(entry: PlannedEntry): Metadata {
    // Windows has no numbers of owners: what it has is among the attributes.
    if (this.#ownUid !== undefined && entry.uid !== null && entry.uid !== this.#ownUid) this.#hasForeignOwners = true;
    return metadataOf(entry);
  }
}

const WARNINGS: Readonly<Record<MetadataLoss['attribute'], string>> = {
  owner: 'owner-not-restored',
  mode: 'mode-not-restored',
  time: 'time-not-restored',
  xattr: 'attribute-not-restored',
  shared: 'attributes-shared',
};
