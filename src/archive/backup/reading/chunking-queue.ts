import { lstatSync, type BigIntStats } from 'node:fs';
import { bufferOf } from '../../../base/buffer-of.ts';
import type { CatalogEntries, SetRun } from '../../../catalog/entries/entries.ts';
import { FILE } from '../../../catalog/entries/entry.ts';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { STAT_RECORD_BYTES, takeDevice, unpackStat } from '../../../os/filesystem/stat-record.ts';
import {
  CHANGED,
  FAILED,
  GROWN,
  UNFINISHED,
  UNSTABLE,
  type ChunkFilesInput,
  type ChunkFilesOutput,
} from '../../chunk/chunk-files.ts';
import { CHUNK_RECORD_BYTES, plaintextBytes } from '../../../format/chunks/chunk-list.ts';
import { withLaterSigns } from '../../chunk/content-probe.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { FoundFile } from '../../scan/types.ts';
import type { Places } from '../../scan/places.ts';
import { reasonOfCode } from '../../scan/warning-reason.ts';
import { InFlight } from '../../../base/limits/in-flight.ts';
import type { BackupPool } from '../tasks.ts';
import { SEALED_PART_BYTES, type EarlyUpload } from '../upload/early-upload.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { ContentChange } from './content-signals.ts';
import type { WritableRun } from '../catalog-run.ts';
import type { FilesInCopies } from './volume-copies.ts';
import { MIB } from '../../../model/units.ts';

/** Bytes of files that one task reads: enough to outweigh its message, few enough to stop soon. */
const TASK_BYTES = 4 * MIB;
const TASK_FILES = 256;
/** Bytes of a large file that one task reads, so that progress is reported and an interruption takes effect. */
const PART_BYTES = 64 * MIB;
const ATTEMPTS = 3;

/** Content of one file. */
interface FileContent {
  readonly stat: Buffer;
  readonly chunks: Buffer;
  /** Flags of content-probe.ts. */
  readonly signs: number;
}

/** What is known of a file that could not be read in a consistent state. */
type Unready = { readonly code: string } | TornRead;

interface TornRead {
  /** `UNSTABLE` or `CHANGED`. */
  readonly state: number;
  readonly read: FileContent;
}

export interface ChunkingObserver {
  onRead(path: string, bytes: number): void;
  onWarning(warning: RunWarning): void;
  /** Called for a file that is new or whose content changed. */
  onChanged?(change: ContentChange): void;
}

export interface ChunkingParts {
  readonly catalogRun: WritableRun;
  readonly pool: BackupPool;
  readonly observer: ChunkingObserver;
  readonly signal: AbortSignal | undefined;
  /** Chunks are sealed and sent as they are read if it is given. */
  readonly early?: EarlyUpload | undefined;
  /** Where files are read that a program has locked or keeps writing to. */
  readonly copies?: FilesInCopies | undefined;
  readonly places: Places;
  /** Fails files that are online only with `EONLINE`, so that none is downloaded. */
  readonly skipsOnline: boolean;
}

/**
 * Has worker threads read and chunk files, many small ones at a time, and stores the results in the catalog. A file that
 * cannot be read in a consistent state is read from a copy of its volume, if there can be one. Otherwise it keeps its previous version,
 * if it has one, and causes a warning. One that only grows is stored as far as it was read.
 */
export class ChunkingQueue {
  readonly #entries: CatalogEntries;
  readonly #run: SetRun;
  readonly #pool: BackupPool;
  readonly #observer: ChunkingObserver;
  readonly #signal: AbortSignal | undefined;
  readonly #early: EarlyUpload | undefined;
  readonly #copies: FilesInCopies | undefined;
  readonly #places: Places;
  /** Files that were locked or changed when they were read where they are. */
  readonly #unready = new Map<FoundFile, Unready>();
  #stage: 'in-place' | 'copies' = 'in-place';
  readonly #skipsOnline: boolean;
  readonly #inFlight = new InFlight();
  #batch: FoundFile[] = [];
  #batchBytes = 0;

  constructor({
    catalogRun: { entries, run },
    pool,
    observer,
    signal,
    early,
    skipsOnline,
    copies,
    places,
  }: ChunkingParts) {
    this.#copies = copies;
    this.#places = places;
    this.#skipsOnline = skipsOnline;
    this.#entries = entries;
    this.#run = run;
    this.#pool = pool;
    this.#observer = observer;
    this.#signal = signal;
    this.#early = early;
  }

  /** Queues a file; waits while the threads are busy. */
  async add(file: FoundFile): Promise<void> {
    if (file.size > TASK_BYTES) {
      await this.#inFlight.start(this.#pool.capacity, () => this.#readLarge(file));
      return;
    }
    this.#batch.push(file);
    this.#batchBytes += file.size;
    if (this.#batchBytes >= TASK_BYTES || this.#batch.length >= TASK_FILES) await this.#send();
  }

  /** Waits until every queued file is read, or until an interruption is complete. */
  async finish(): Promise<void> {
    try {
      if (this.#batch.length > 0 && !this.#signal?.aborted) await this.#send();
      await this.#inFlight.finish();
      await this.#readUnready();
    } finally {
      this.#entries.flush();
    }
  }

  /**
   * Reads locked files once more: most programs lock files for a moment only. What stays locked, and what kept changing, is read from a
   * copy of its volume.
   */
  async #readUnready(): Promise<void> {
    if (this.#unready.size === 0 || this.#signal?.aborted) return;
    const locked = [...this.#unready].filter(([, what]) => 'code' in what).map(([file]) => file);
    for (const file of locked) this.#unready.delete(file);
    await this.#readAgain(locked);
    this.#stage = 'copies';
    // Settling removes files from the map.
    const files = [...this.#unready.keys()];
    const copied = new Set(await this.#copies?.use(files));
    for (const file of files) if (!copied.has(file)) this.#settle(file);
    await this.#readAgain([...copied]);
  }

  async #readAgain(files: readonly FoundFile[]): Promise<void> {
    for (const file of files) await this.add(file);
    if (this.#batch.length > 0) await this.#send();
    await this.#inFlight.finish();
  }

  #placeOf({ path }: FoundFile): string {
    return this.#copies?.placeOf(path) ?? path;
  }

  #isCopied({ path }: FoundFile): boolean {
    return this.#copies?.isCopied(path) === true;
  }

  /** Returns whether what was read is on another disk than what was found: one was mounted or unmounted meanwhile. */
  #hasMoved(file: FoundFile, { stat }: FileContent): boolean {
    const { device } = unpackStat(file.stat);
    if (unpackStat(bufferOf(stat)).device === device) return false;
    // Some file systems of several layers say another number of a file that is open.
    return statIfThere(this.#placeOf(file))?.dev !== device;
  }

  async #send(): Promise<void> {
    throwIfInterrupted(this.#signal);
    const files = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    await this.#inFlight.start(this.#pool.capacity, async () => {
      const paths = files.map((file) => this.#placeOf(file));
      const input = { paths, offset: 0, limit: Number.MAX_SAFE_INTEGER, skipsOnline: this.#skipsOnline };
      const output = await this.#read(files, input, this.#activeEarly());
      this.#storeBatch(files, output);
    });
  }

  /** Returns `undefined` if chunks need not be sealed now. */
  #activeEarly(): EarlyUpload | undefined {
    return this.#early?.hasLanes ? this.#early : undefined;
  }

  async #read(
    files: readonly FoundFile[],
    input: ChunkFilesInput,
    early: EarlyUpload | undefined,
  ): Promise<ChunkFilesOutput> {
    if (!early) return await this.#pool.run('chunkFiles', input);
    const known = files.map((file) => this.#knownChunks(file));
    const buffer = await early.takeBuffer();
    let output: ChunkFilesOutput;
    try {
      const { chunkSubKeys, compression } = early;
      const seal = { chunkSubKeys, compression, memory: buffer, known };
      output = await this.#pool.run('chunkFiles', { ...input, seal });
    } catch (error) {
      early.giveBack(buffer);
      throw error;
    }
    await early.upload(output, buffer, files.at(-1)!.path);
    return output;
  }

  #knownChunks({ isKnown, directory, name }: FoundFile): Uint8Array | undefined {
    const chunks = isKnown ? this.#entries.find(directory!, name)?.chunks : undefined;
    return chunks ? new Uint8Array(chunks) : undefined;
  }

  #storeBatch(files: readonly FoundFile[], output: ChunkFilesOutput): void {
    const failures = new Map(output.failures);
    const stats = Buffer.from(output.stats.buffer, output.stats.byteOffset, output.stats.byteLength);
    const chunks = Buffer.from(output.chunks.buffer, output.chunks.byteOffset, output.chunks.byteLength);
    let chunkStart = 0;
    for (const [index, file] of files.entries()) {
      const chunkEnd = chunkStart + output.counts[index]! * CHUNK_RECORD_BYTES;
      this.#store(file, output.states[index]!, failures.get(index), {
        stat: stats.subarray(index * STAT_RECORD_BYTES, (index + 1) * STAT_RECORD_BYTES),
        chunks: chunks.subarray(chunkStart, chunkEnd),
        signs: output.signs[index]!,
      });
      chunkStart = chunkEnd;
      this.#observer.onRead(file.path, file.size);
    }
  }

  /** Reads a large file in parts, and starts over if it changes in between. In the last attempt it may have grown. */
  async #readLarge(file: FoundFile): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const parts: Buffer[] = [];
      let offset = 0;
      let stat: Uint8Array | undefined;
      let signs = 0;
      let output: ChunkFilesOutput;
      do {
        throwIfInterrupted(this.#signal);
        const early = this.#activeEarly();
        const limit = early ? SEALED_PART_BYTES : PART_BYTES;
        const mayGrow = attempt === ATTEMPTS;
        const skipsOnline = this.#skipsOnline;
        const input = { paths: [this.#placeOf(file)], offset, limit, mayGrow, skipsOnline, ...(stat ? { stat } : {}) };
        output = await this.#read([file], input, early);
        ({ stats: stat } = output);
        signs = offset === 0 ? output.signs[0]! : withLaterSigns(signs, output.signs[0]!);
        const part = Buffer.from(output.chunks.buffer, output.chunks.byteOffset, output.chunks.byteLength);
        parts.push(part);
        const bytes = plaintextBytes(part);
        offset += bytes;
        if (attempt === 1) this.#observer.onRead(file.path, bytes);
      } while (output.states[0] === UNFINISHED);
      const state = output.states[0]!;
      if (state === CHANGED && attempt < ATTEMPTS) continue;
      const code = output.failures[0]?.[1];
      this.#store(file, state, code, { stat: Buffer.from(output.stats), chunks: Buffer.concat(parts), signs });
      return;
    }
  }

  #store(file: FoundFile, state: number, failure: string | undefined, read: FileContent): void {
    if (state === FAILED) return this.#handleFailure(file, failure ?? 'EIO');
    if (isTorn(state) && this.#postpone(file, { state, read })) return;
    const ofFile = this.#copies?.statOf(file.path);
    if (ofFile) read.stat.set(ofFile);
    else if (this.#isCopied(file)) takeDevice(read.stat, file.stat);
    else if (this.#hasMoved(file, read)) {
      this.#observer.onWarning({ path: file.path, reason: 'changed-while-reading' });
      return;
    }
    // It might never stop growing, and would never be stored again.
    if (state === GROWN) this.#observer.onWarning({ path: file.path, reason: 'growing' });
    if (isTorn(state)) {
      this.#observer.onWarning({ path: file.path, reason: 'changed-while-reading' });
      const hasPrevious = this.#entries.find(file.directory!, file.name)?.kind === FILE;
      // An inconsistent read is better than no version at all. CHANGED has no complete read.
      if (hasPrevious || state === CHANGED) return;
    }
    const { name, detail, place } = file;
    const entry = { name, kind: FILE, stat: read.stat, child: null, detail, place, chunks: read.chunks } as const;
    const put = (): void => {
      this.#reportChange(file, read);
      this.#entries.put(file.directory!, entry, this.#run);
    };
    if (file.together) file.together.ready(put, read.stat);
    else put();
  }

  /** Ignores a file whose content is the same, although it was touched or read again for a check. */
  #reportChange({ name, directory, isKnown }: FoundFile, { chunks, signs }: FileContent): void {
    const before = isKnown ? this.#entries.find(directory!, name)?.chunks : undefined;
    if (before && chunks.equals(before)) return;
    const hadContent = before !== undefined && before !== null && before.length > 0;
    this.#observer.onChanged?.({ name, signs, hadContent, isEmpty: chunks.length === 0 });
  }

  /** Returns whether the file is going to be read again. */
  #postpone(file: FoundFile, what: Unready): boolean {
    if (this.#stage === 'in-place') {
      if (!('code' in what) && this.#copies?.canCopy !== true) return false;
      this.#unready.set(file, what);
      return true;
    }
    // In a copy nothing changes: the file is not in it, or the copy is gone.
    if (!this.#unready.has(file)) return false;
    this.#settle(file);
    return true;
  }

  /** Stores what was read of a file where it is. */
  #settle(file: FoundFile): void {
    const what = this.#unready.get(file)!;
    this.#unready.delete(file);
    this.#copies?.leave(file.path);
    if ('code' in what) this.#handleFailure(file, what.code);
    else this.#store(file, what.state, undefined, what.read);
  }

  #handleFailure(file: FoundFile, code: string): void {
    if (file.together) {
      // Its copy is gone, and where the file is it may be of another moment than the other parts.
      this.#observer.onWarning({ path: file.path, reason: 'changed-while-reading' });
      return;
    }
    const isInCopy = this.#isCopied(file);
    const isUnready = this.#stage === 'in-place' ? code === 'EBUSY' || isInCopy : this.#unready.has(file);
    // An earlier queue of the run read it from a copy that is gone.
    if (isInCopy) this.#copies?.leave(file.path);
    if (isUnready && this.#postpone(file, { code })) return;
    const known = this.#entries.find(file.directory!, file.name);
    if (code === 'ENOENT' && isDeleted(file, this.#places)) {
      if (known) this.#entries.remove(file.directory!, file.name, known.child);
      return;
    }
    this.#observer.onWarning({ path: file.path, reason: reasonOfCode(code) });
  }
}

/** Returns whether a file that is not there was deleted since its folder was listed: what was mounted there still is. */
export function isDeleted({ path, place }: Pick<FoundFile, 'path' | 'place'>, places: Places): boolean {
  return places.of(path)?.number === place;
}

function statIfThere(path: string): BigIntStats | undefined {
  try {
    return lstatSync(fileSystemPath(path), { bigint: true });
  } catch {
    return undefined;
  }
}

function isTorn(state: number): boolean {
  return state === UNSTABLE || state === CHANGED;
}
