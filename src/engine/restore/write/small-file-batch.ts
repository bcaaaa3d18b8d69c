import { formatChunkHash } from '../../../protocol/chunk.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Folder } from '../../filesystem/folder.ts';
import type { BlobArena } from '../../transfer/blobs/blob-arena.ts';
import type { RestorePool } from '../tasks.ts';
import {
  isFromTarget,
  type ChunkPlace,
  type ChunkSource,
  type GotChunk,
  type WantedChunk,
} from '../chunks/chunk-source.ts';
import { CHUNK_TRIES, pauseBeforeRetry } from '../chunks/open-chunks.ts';
import { packChunks } from '../chunks/packed-chunks.ts';
import type { PlannedWork } from '../plan/plan-store.ts';
import { markOf } from '../chunks/repeated-chunks.ts';
import type { RestoreRun } from './restore-run.ts';
import { BATCH_BYTES } from '../chunks/buffer-pool.ts';
import type { EntriesToWrite, FileToWrite, LinkToWrite, Naming, WriteFailure, WriteOutcome } from './write-files.ts';

const BATCH_ENTRIES = 512;
const BATCH_FOLDERS = 128;

/** A file or link with its place. */
export interface PlacedWork {
  readonly work: PlannedWork;
  readonly folder: Folder;
  readonly name: string;
  readonly partialName: string;
  /** Names of the folders from the target folder down. */
  readonly way: readonly string[];
}

/** The path below the target folder, under one of its names. */
export function targetOf({ way }: Pick<PlacedWork, 'way'>, name: string): string {
  return [...way, name].join('/');
}

/** What writing needs, besides the entries. */
export interface WritingParts {
  readonly run: RestoreRun;
  readonly source: ChunkSource;
  readonly pool: RestorePool;
  readonly clock: Clock;
  readonly chunkSubKey: Uint8Array;
  readonly sessions: readonly string[];
}

/** The chunks of an entry, as they are asked for. */
export function wantedChunks(work: PlannedWork, sessions: readonly string[]): readonly WantedChunk[] {
  const chunks = work.chunks ?? '';
  const session = sessions[work.session] ?? '';
  const wanted: WantedChunk[] = [];
  for (let start = 0; start < chunks.length; start += 64) {
    const hash = formatChunkHash(chunks.slice(start, start + 64));
    wanted.push({ hash, mark: markOf(chunks, start / 64), session });
  }
  return wanted;
}

/** Small files and links that are written in one go: their chunks fetched together, opened and written by one worker. */
export class SmallFileBatch {
  readonly #entries: PlacedWork[] = [];
  readonly #folders = new Set<Folder>();
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes >= BATCH_BYTES || this.#entries.length >= BATCH_ENTRIES || this.#folders.size >= BATCH_FOLDERS;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(entry: PlacedWork): void {
    this.#entries.push(entry);
    this.#bytes += entry.work.size;
    if (this.#folders.has(entry.folder)) return;
    this.#folders.add(entry.folder.retain());
  }

  /** Never rejects: what goes wrong is told to the run. */
  async write(parts: WritingParts, room: BlobArena): Promise<void> {
    try {
      let left: readonly PlacedWork[] = this.#entries;
      for (let tries = 1; left.length > 0; tries += 1) {
        const { again, pause } = await writeOnce(left, parts, room, tries === CHUNK_TRIES);
        left = again;
        if (pause) await parts.clock.sleep(pauseBeforeRetry(tries), parts.run.signal);
      }
    } catch (error) {
      parts.run.fail(error);
    } finally {
      for (const folder of this.#folders) folder.release();
    }
  }
}

interface Outcome {
  /** Entries whose chunks were missing or damaged; none after the last try. */
  readonly again: readonly PlacedWork[];
  /** Whether the service gets time to mend. */
  readonly pause: boolean;
}

async function writeOnce(
  entries: readonly PlacedWork[],
  parts: WritingParts,
  room: BlobArena,
  last: boolean,
): Promise<Outcome> {
  const wanted = new Map<string, WantedChunk>();
  const indexes = new Map<string, number>();
  const lists = entries.map(({ work }) => {
    const list = wantedChunks(work, parts.sessions);
    for (const chunk of list) {
      if (indexes.has(chunk.hash)) continue;
      indexes.set(chunk.hash, indexes.size);
      wanted.set(chunk.hash, chunk);
    }
    return list;
  });
  const chunks = [...wanted.values()];
  const got = await parts.source.get(chunks, room, parts.run.signal);
  const files: FileToWrite[] = [];
  const links: LinkToWrite[] = [];
  const folders = new Map<Folder, number>();
  const slots = entries.map((entry, position) => {
    let folder = folders.get(entry.folder);
    if (folder === undefined) folders.set(entry.folder, (folder = folders.size));
    const naming = { folder, ...namingOf(entry, parts.run) };
    if (entry.work.type === 'symlink') return { link: links.push({ ...naming, target: entry.work.target ?? '' }) - 1 };
    const list = lists[position]!.map((chunk) => indexes.get(chunk.hash)!);
    const { size, sparse } = entry.work;
    return { file: files.push({ ...naming, size, sparse: sparse === 1, chunks: list }) - 1 };
  });
  const { transfer, ...packed } = packChunks(chunks, got);
  const input = {
    chunkSubKey: parts.chunkSubKey,
    ...packed,
    folders: Array.from(folders.keys(), (folder) => folder.reference),
    entries: JSON.stringify({ files, links } satisfies EntriesToWrite),
    parts: [],
  };
  const output = await parts.pool.run('writeFiles', input, transfer);
  let pause = false;
  const again = entries.filter((entry, position) => {
    const slot = slots[position]!;
    const outcome = (slot.file === undefined ? output.links[slot.link] : output.files[slot.file]) ?? null;
    const worthIt = settle(entry, outcome, { chunks, got, list: lists[position]!, last }, parts);
    pause ||= worthIt && !isFromTarget(got.get(chunks[outcome!.failure!.chunk!]!.hash));
    return worthIt;
  });
  return { again, pause };
}

function namingOf({ work, name, partialName }: PlacedWork, run: RestoreRun): Naming {
  return { partialName, name, replace: work.action === 'replace', metadata: run.metadataOf(work) };
}

interface Try {
  readonly chunks: readonly WantedChunk[];
  readonly got: ReadonlyMap<string, GotChunk>;
  readonly list: readonly WantedChunk[];
  readonly last: boolean;
}

/** Tells the run what came of an entry, or answers true where it is worth another try. */
function settle(entry: PlacedWork, outcome: WriteOutcome | null, attempt: Try, { run, source }: WritingParts): boolean {
  const { work } = entry;
  const failure = outcome?.failure;
  if (!failure) {
    run.lost(work.path, outcome?.losses);
    run.succeeded(work);
    if (!attempt.list.some((chunk) => source.isRepeated(chunk))) return false;
    const written = writtenChunks(attempt.list, attempt.got, targetOf(entry, entry.name), 0, source);
    for (const { chunk, place } of written) source.wrote(chunk, place);
    return false;
  }
  const chunk = failure.chunk === undefined ? undefined : attempt.chunks[failure.chunk]!;
  if (chunk) source.forget(chunk, attempt.got.get(chunk.hash));
  if (isWorthRetrying(failure) && !attempt.last) return true;
  run.failed(work, failure, chunk?.hash);
  return false;
}

/** A size that does not fit may come from the network too, but the chunks were verified: it is the manifest's. */
export function isWorthRetrying(failure: WriteFailure): boolean {
  return failure.chunk !== undefined;
}

/** Where repeated chunks of a file stand in it. */
export function writtenChunks(
  list: readonly WantedChunk[],
  got: ReadonlyMap<string, GotChunk>,
  target: string,
  start: number,
  source: ChunkSource,
): { readonly chunk: WantedChunk; readonly place: ChunkPlace }[] {
  const written: { readonly chunk: WantedChunk; readonly place: ChunkPlace }[] = [];
  let offset = start;
  for (const chunk of list) {
    const length = got.get(chunk.hash)?.length ?? 0;
    if (source.isRepeated(chunk)) written.push({ chunk, place: { target, offset, length } });
    offset += length;
  }
  return written;
}
