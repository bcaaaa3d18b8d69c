import type { Folder } from '../../os/filesystem/folder.ts';
import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import { BATCH_BYTES } from '../../read/chunks/arena-pool.ts';
import { isFromTarget } from '../../read/chunks/chunk-source.ts';
import { retryDelay } from '../../read/chunks/fetch-chunks.ts';
import { packChunks } from '../../read/chunks/packed-chunks.ts';
import { wantedChunks, type WantedChunk } from '../../read/chunks/wanted-chunks.ts';
import {
  locationOf,
  namingOf,
  repeatedChunks,
  sizesByHash,
  type PlacedEntry,
  type WriteContext,
} from './placed-entry.ts';
import type { EntriesToWrite, FileToWrite, LinkToWrite, WriteOutcome } from './write-files.ts';

const MAX_ENTRIES = 512;
const MAX_FOLDERS = 128;

/** Small files and links that are written in one go: their chunks are fetched together, and one worker writes them all. */
export class SmallFileBatch {
  readonly #entries: PlacedEntry[] = [];
  readonly #folders = new Set<Folder>();
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes >= BATCH_BYTES || this.#entries.length >= MAX_ENTRIES || this.#folders.size >= MAX_FOLDERS;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(entry: PlacedEntry): void {
    this.#entries.push(entry);
    this.#bytes += entry.work.size;
    if (this.#folders.has(entry.folder)) return;
    this.#folders.add(entry.folder.retain());
  }

  /** Never rejects: failures are reported to the run. */
  async write(context: WriteContext, arena: BlobArena): Promise<void> {
    try {
      let left: readonly PlacedEntry[] = this.#entries;
      for (let attempts = 1; left.length > 0; attempts += 1) {
        const { again, fromService } = await writeOnce(left, context, arena, attempts === context.source.attempts);
        left = again;
        if (fromService) await context.clock.sleep(retryDelay(attempts), context.run.signal);
      }
    } catch (error) {
      context.run.fail(error);
    } finally {
      for (const folder of this.#folders) folder.release();
    }
  }
}

interface BatchOutcome {
  /** Entries whose chunks were missing or damaged; none after the last attempt. */
  readonly again: readonly PlacedEntry[];
  /** True if one of those chunks came from the service, which may need time. */
  readonly fromService: boolean;
}

async function writeOnce(
  entries: readonly PlacedEntry[],
  context: WriteContext,
  arena: BlobArena,
  isLast: boolean,
): Promise<BatchOutcome> {
  const wanted = new Map<string, WantedChunk>();
  const indexes = new Map<string, number>();
  const lists = entries.map(({ work }) => {
    const list = wantedChunks(work, context.sessions);
    for (const chunk of list) {
      if (indexes.has(chunk.hash)) continue;
      indexes.set(chunk.hash, indexes.size);
      wanted.set(chunk.hash, chunk);
    }
    return list;
  });
  const chunks = [...wanted.values()];
  const fetched = await context.source.fetch(chunks, arena, context.run.signal);
  const files: FileToWrite[] = [];
  const links: LinkToWrite[] = [];
  const folders = new Map<Folder, number>();
  const slots = entries.map((entry, position) => {
    let folder = folders.get(entry.folder);
    if (folder === undefined) folders.set(entry.folder, (folder = folders.size));
    const naming = { folder, ...namingOf(entry, context.run) };
    if (entry.work.type === 'symlink') return { link: links.push({ ...naming, target: entry.work.target ?? '' }) - 1 };
    const list = lists[position]!.map((chunk) => indexes.get(chunk.hash)!);
    const { size, sparse } = entry.work;
    return { file: files.push({ ...naming, size, sparse: sparse === 1, chunks: list }) - 1 };
  });
  const { transfer, ...packed } = packChunks(chunks, fetched);
  const input = {
    chunkSubKeys: context.chunkSubKeys,
    ...packed,
    folders: Array.from(folders.keys(), (folder) => folder.reference),
    entries: JSON.stringify({ files, links } satisfies EntriesToWrite),
    parts: [],
  };
  const output = await context.pool.run('writeFiles', input, transfer);
  const sizes = sizesByHash(chunks, output.sizes);
  context.source.forgetUnopened(chunks, sizes, fetched);
  let fromService = false;
  const again = entries.filter((entry, position) => {
    const slot = slots[position]!;
    const outcome = (slot.file === undefined ? output.links[slot.link] : output.files[slot.file]) ?? null;
    const isRetried = settle(entry, outcome, { chunks, sizes, list: lists[position]!, isLast }, context);
    fromService ||= isRetried && !isFromTarget(fetched.get(chunks[outcome!.failure!.chunk!]!.hash));
    return isRetried;
  });
  return { again, fromService };
}

interface Attempt {
  /** The chunks of the batch. */
  readonly chunks: readonly WantedChunk[];
  readonly sizes: ReadonlyMap<string, number>;
  /** The chunks of the entry. */
  readonly list: readonly WantedChunk[];
  readonly isLast: boolean;
}

/** Reports the outcome of an entry to the run, or returns true if it is worth another attempt. */
function settle(
  entry: PlacedEntry,
  outcome: WriteOutcome | null,
  { chunks, sizes, list, isLast }: Attempt,
  { run, source }: WriteContext,
): boolean {
  const { work } = entry;
  const failure = outcome?.failure;
  if (!failure) {
    run.addLosses(work.path, outcome?.losses, [...entry.folderNames, entry.name]);
    run.succeeded(work);
    if (!list.some((chunk) => source.isRepeated(chunk))) return false;
    const repeated = repeatedChunks(list, sizes, { target: locationOf(entry, entry.name), offset: 0 }, source);
    for (const { chunk, location } of repeated) source.wrote(chunk, location);
    return false;
  }
  const chunk = failure.chunk === undefined ? undefined : chunks[failure.chunk]!;
  if (chunk && !isLast) return true;
  run.failed(work, failure, chunk?.hash);
  return false;
}
