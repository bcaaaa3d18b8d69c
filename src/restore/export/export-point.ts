import { HoldfastError } from '../../base/errors/errors.ts';
import { mayNeedEscape } from '../../os/filesystem/names/entry-path.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { fileIdentity } from '../conflicts/conflicts.ts';
import { PathExclusion } from '../conflicts/request-paths.ts';
import { fetchEach } from '../../read/chunks/fetch-chunks.ts';
import { hashesBySession, wantedChunks, type WantedChunk } from '../../read/chunks/wanted-chunks.ts';
import type { ProgressMeter } from '../progress-meter.ts';
import { PlanStore } from '../record/plan-store.ts';
import { makePlan, type Plan } from '../plan/plan.ts';
import type { PlannedWork } from '../record/planned-entry.ts';
import { TargetLayout } from '../plan/target-layout.ts';
import type { RestoreDependencies, RestoreFailure } from '../types.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { isZipPath, isZipTime } from './zip-archive.ts';

export interface ExportRequest {
  readonly source: RestoreSource;
  /** Entry paths; an empty list exports everything. */
  readonly paths: readonly string[];
  /** Entry paths that are left out with everything below, except for paths of `paths` inside of them. */
  readonly without?: readonly string[];
  /** A tar has hard links; in a zip each name gets the content. */
  readonly format: 'tar' | 'zip';
}

export interface ExportReport {
  readonly restorePoint: string;
  readonly files: number;
  readonly bytes: number;
  readonly failures: readonly RestoreFailure[];
  readonly failuresTotal: number;
  readonly warnings: readonly RunWarning[];
}

/** Bytes of a file, or of small files, that are fetched at once: the memory that an export needs. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_ENTRIES = 256;

export interface ExportOptions {
  readonly signal?: AbortSignal | undefined;
  /** Counts the files and bytes that are written. */
  readonly meter?: ProgressMeter;
}

type Content = ReadonlyMap<string, Buffer | HoldfastError>;

/** An opened restore point whose entries are taken one after the other. */
export class ExportedPoint implements Disposable {
  readonly #plan: Plan;
  readonly #store: PlanStore;
  readonly #request: ExportRequest;
  readonly #deps: RestoreDependencies;
  readonly #signal: AbortSignal | undefined;
  readonly #exclusion: PathExclusion;
  readonly #meter: ProgressMeter | undefined;
  /** Paths of files with several names, by what identifies the file. */
  readonly #leaders = new Map<string, string>();
  #files = 0;
  #bytes = 0;

  private constructor(
    plan: Plan,
    store: PlanStore,
    request: ExportRequest,
    deps: RestoreDependencies,
    { signal, meter }: ExportOptions,
  ) {
    this.#exclusion = new PathExclusion(request.without ?? [], request.paths);
    this.#meter = meter;
    this.#plan = plan;
    this.#store = store;
    this.#request = request;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** @throws HoldfastError `no_restore_point`, `path_not_found`, `tree_invalid`, `chunk_*`, and what the service throws */
  static async open(
    request: ExportRequest,
    deps: RestoreDependencies,
    options: ExportOptions = {},
  ): Promise<ExportedPoint> {
    const store = new PlanStore(deps.scratch);
    try {
      const { source, paths } = request;
      const plan = await makePlan({ source, paths, dryRun: true }, store, deps, options.signal);
      return new ExportedPoint(plan, store, request, deps, options);
    } catch (error) {
      store[Symbol.dispose]();
      throw error;
    }
  }

  get report(): ExportReport {
    const { point, failures, warnings } = this.#plan;
    return {
      restorePoint: point.restorePoint,
      files: this.#files,
      bytes: this.#bytes,
      failures: failures.named,
      failuresTotal: failures.total,
      warnings,
    };
  }

  /**
   * The entries in path order. A file with a damaged chunk is named as a failure and left out; of a larger one, of which some has been
   * read, the damaged parts are zeroes.
   */
  async *entries(): AsyncGenerator<ArchiveEntry> {
    const layout = new TargetLayout(this.#plan.bases, 'new');
    this.#meter?.begin({ ...this.#totals(), filesDone: 0, bytesDone: 0 });
    let batch: { readonly work: PlannedWork; readonly path: string }[] = [];
    let bytes = 0;
    for (const work of this.#store.workInOrder()) {
      throwIfInterrupted(this.#signal);
      if (this.#exclusion.excludes(work.path)) continue;
      const location = layout.locate(work.path);
      if (!location) continue;
      const path = [...location.folder, location.name].join('/');
      if (work.type === 'directory') layout.enter(work.path, location, location.name, 'new');
      const isZip = this.#request.format === 'zip';
      // A tar or zip of other bytes than UTF-8 would have another name on the next system.
      const isUnsafe = !location.isSafe || path === '' || mayNeedEscape(path) || path.includes('\u{10FFFD}');
      if (isUnsafe || (isZip && !isZipPath(path))) {
        this.#plan.failures.add(work.path, 'target_unwritable', undefined, 'EILSEQ');
        continue;
      }
      if (isZip && !isZipTime(modifiedOf(work))) {
        this.#plan.failures.add(work.path, 'target_unwritable', undefined, 'ERANGE');
      }
      const isLarge = work.type === 'file' && work.size > BATCH_BYTES;
      if (isLarge || bytes + work.size > BATCH_BYTES || batch.length === BATCH_ENTRIES) {
        yield* this.#small(batch);
        batch = [];
        bytes = 0;
      }
      if (isLarge) yield* this.#large(work, path);
      else {
        batch.push({ work, path });
        bytes += work.size;
      }
    }
    yield* this.#small(batch);
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }

  async *#small(batch: readonly { readonly work: PlannedWork; readonly path: string }[]): AsyncGenerator<ArchiveEntry> {
    const lists = batch.map(({ work }) => (work.type === 'file' ? wantedChunks(work, this.#plan.sessions) : []));
    const content = await this.#fetch(lists.flat());
    for (const [index, { work, path }] of batch.entries()) {
      if (work.type !== 'file') {
        yield entryOf(work, path);
        continue;
      }
      const parts = lists[index]!.map((chunk) => partOf(chunk, content));
      const whole = parts.filter((part) => Buffer.isBuffer(part));
      const damaged = parts.find((part) => !Buffer.isBuffer(part));
      if (damaged) this.#plan.failures.addError(work.path, damaged as HoldfastError);
      else if (whole.reduce((sum, part) => sum + part.length, 0) === work.size) {
        yield this.#entryOf(work, path, () => iterate(whole));
      } else this.#plan.failures.add(work.path, 'file_size_mismatch');
    }
  }

  async *#large(work: PlannedWork, path: string): AsyncGenerator<ArchiveEntry> {
    const chunks = wantedChunks(work, this.#plan.sessions);
    if (chunks.reduce((sum, { size = 0 }) => sum + size, 0) === work.size) {
      yield this.#entryOf(work, path, () => this.#read(work, chunks));
    } else this.#plan.failures.add(work.path, 'file_size_mismatch');
  }

  async *#read({ path }: PlannedWork, chunks: readonly WantedChunk[]): AsyncGenerator<Buffer> {
    let isNamed = false;
    for (let from = 0; from < chunks.length;) {
      throwIfInterrupted(this.#signal);
      let to = from;
      for (let bytes = 0; to < chunks.length && (to === from || bytes + chunks[to]!.size! <= BATCH_BYTES); to += 1) {
        bytes += chunks[to]!.size!;
      }
      const part = chunks.slice(from, to);
      const content = await this.#fetch(part);
      for (const chunk of part) {
        const data = partOf(chunk, content);
        if (Buffer.isBuffer(data)) yield data;
        else {
          if (!isNamed) this.#plan.failures.addError(path, data);
          isNamed = true;
          yield Buffer.alloc(chunk.size!);
        }
      }
      from = to;
    }
  }

  async #fetch(chunks: readonly WantedChunk[]): Promise<Content> {
    const all = new Map<string, Buffer | HoldfastError>();
    for (const [session, hashes] of hashesBySession(chunks)) {
      const fetched = await fetchEach({ session, hashes }, this.#deps, this.#signal);
      for (const [hash, outcome] of fetched) all.set(hash, outcome);
    }
    return all;
  }

  /** Returns what identifies a file that may have other names. */
  #identityOf(work: PlannedWork): string | undefined {
    if (this.#request.format === 'zip' || work.hardLinkGroup === null) return undefined;
    return fileIdentity(work, this.#store.chunksOf(work.id));
  }

  /** What is to be written; hard links are counted as files. */
  #totals(): { readonly filesTotal: number; readonly bytesTotal: number } {
    if ((this.#request.without ?? []).length === 0) return this.#store.totals();
    let filesTotal = 0;
    let bytesTotal = 0;
    for (const { path, size } of this.#store.filesInOrder()) {
      if (this.#exclusion.excludes(path)) continue;
      filesTotal += 1;
      bytesTotal += size;
    }
    return { filesTotal, bytesTotal };
  }

  /** Counts a file, and returns its entry: a hard link if the archive has it under another name. */
  #entryOf(work: PlannedWork, path: string, content: ArchiveEntry['content']): ArchiveEntry {
    const entry = { ...entryOf(work, path), content };
    const identity = this.#identityOf(work);
    const leader = identity === undefined ? undefined : this.#leaders.get(identity);
    this.#files += 1;
    this.#meter?.done(1, work.size, work.path);
    if (leader !== undefined) return { ...entry, type: 'hard-link', size: 0, target: leader };
    this.#bytes += work.size;
    if (identity !== undefined) this.#leaders.set(identity, path);
    return entry;
  }
}

function modifiedOf({ seconds, nanoseconds }: PlannedWork): Date {
  return new Date((seconds ?? 0) * 1000 + Math.trunc(nanoseconds / 1e6));
}

function entryOf(work: PlannedWork, path: string): ArchiveEntry {
  const { type, mode, uid, gid, size, target } = work;
  return {
    path,
    type,
    mode,
    modified: modifiedOf(work),
    uid: uid ?? undefined,
    gid: gid ?? undefined,
    size: type === 'file' ? size : 0,
    target: target ?? '',
    content: () => iterate([]),
  };
}

function partOf({ hash, size }: WantedChunk, content: Content): Buffer | HoldfastError {
  const outcome = content.get(hash);
  if (!Buffer.isBuffer(outcome)) return outcome ?? new HoldfastError('chunk_missing', { chunk: hash });
  return size === undefined || outcome.length === size ? outcome : new HoldfastError('chunk_corrupt', { chunk: hash });
}

async function* iterate(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield await Promise.resolve(part);
}
