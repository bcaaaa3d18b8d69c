import type { RunWarning } from '../../job/run-warning.ts';
import type { Clock } from '../../../base/clock.ts';
import { HoldfastError, isHoldfastError, type ErrorCode } from '../../../base/errors.ts';
import type { FailureList } from '../failure-list.ts';
import type { Metadata, MetadataLoss } from './metadata.ts';
import type { PlannedEntry } from '../plan/plan-store.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import type { WriteFailure, WriteOutcome } from './write-files.ts';

/** What blobs in flight have to arrive in after an interruption. */
const GRACE_MS = 5000;

/** An entry whose data is being written. */
export type Outgoing = Pick<PlannedEntry, 'id' | 'path' | 'size' | 'type'>;

/** What a restore has come to so far: shared by all that write for it. */
export class RestoreRun {
  readonly failures: FailureList;
  readonly meter: ProgressMeter;
  readonly #asRoot: boolean;
  readonly #ownUid = process.getuid?.();
  readonly #signal: AbortSignal | undefined;
  readonly #ending = new AbortController();
  readonly #quiet = new AbortController();
  readonly #losses = new Map<MetadataLoss, string>();
  readonly #failedLeaders = new Map<number, WriteFailure>();
  #error: unknown;
  #stoppedBy: ErrorCode | undefined;
  #filesRestored = 0;
  #bytesWritten = 0;
  #othersOwn = false;

  constructor(
    failures: FailureList,
    meter: ProgressMeter,
    asRoot: boolean,
    clock: Clock,
    signal: AbortSignal | undefined,
  ) {
    this.failures = failures;
    this.meter = meter;
    this.#asRoot = asRoot;
    this.#signal = signal;
    signal?.addEventListener('abort', () => void this.#endSoon(clock), { once: true, signal: this.#quiet.signal });
  }

  /** What is in flight may arrive, unless nothing moves. */
  async #endSoon(clock: Clock): Promise<void> {
    try {
      await clock.sleep(GRACE_MS, this.#quiet.signal);
      this.#ending.abort();
    } catch {
      // All was quiet before the time was over.
    }
  }

  get filesRestored(): number {
    return this.#filesRestored;
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  get stoppedBy(): ErrorCode | undefined {
    return this.#stoppedBy;
  }

  /** Whether nothing new should be begun. */
  get ending(): boolean {
    return this.#stoppedBy !== undefined || this.#ending.signal.aborted || (this.#signal?.aborted ?? false);
  }

  /** For downloads: aborted when the run cannot go on, and a while after the person wanted it to end. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether ownership was left out although others own what was restored. */
  get ownershipLeftOut(): boolean {
    return this.#othersOwn && !this.#asRoot;
  }

  /** The run cannot go on; what is under way ends by itself. The first reason counts. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.#ending.abort();
  }

  /** When all is quiet. */
  throwIfFailed(): void {
    this.#quiet.abort();
    if (this.#signal?.aborted) throw new HoldfastError('interrupted', {}, { cause: this.#signal.reason });
    if (this.#error === undefined) return;
    throw isHoldfastError(this.#error) ? this.#error : new Error('a restore ended early', { cause: this.#error });
  }

  succeeded(entry: Outgoing): void {
    const [files, bytes] = entry.type === 'file' ? [1, entry.size] : [0, 0];
    this.#filesRestored += files;
    this.#bytesWritten += bytes;
    this.meter.done(files, bytes, entry.path);
  }

  /** Complete since an earlier run. */
  resumed(entry: Pick<Outgoing, 'type'>): void {
    if (entry.type === 'file') this.#filesRestored += 1;
  }

  failed(entry: Pick<Outgoing, 'id' | 'path'>, failure: WriteFailure, chunk?: string): void {
    this.failures.add(entry.path, failure.reason, chunk, failure.detail);
    this.#failedLeaders.set(entry.id, failure);
    if (failure.reason === 'target_full') this.#stoppedBy = 'target_full';
  }

  /** Why an entry's data is not there, for the other names of its file. */
  failureOf(id: number): WriteFailure | undefined {
    return this.#failedLeaders.get(id);
  }

  lost(path: string, losses: WriteOutcome['losses']): void {
    for (const loss of losses ?? []) if (!this.#losses.has(loss)) this.#losses.set(loss, path);
  }

  /** One for each kind of thing that could not be set, with the first entry that it happened to. */
  warnings(): readonly RunWarning[] {
    return [...this.#losses].map(([loss, path]) => ({ path, reason: WARNINGS[loss.split(' ')[0]!] ?? loss }));
  }

  metadataOf(entry: PlannedEntry): Metadata {
    const { mode, seconds, nanoseconds, uid, gid, xattrs } = entry;
    if (uid !== null && uid !== this.#ownUid) this.#othersOwn = true;
    const owner = this.#asRoot && uid !== null && gid !== null ? { uid, gid } : null;
    return { mode, seconds, nanoseconds, owner, xattrs };
  }
}

const WARNINGS: Readonly<Record<string, string>> = {
  owner: 'owner-not-restored',
  mode: 'mode-not-restored',
  time: 'time-not-restored',
  xattr: 'attribute-not-restored',
};
