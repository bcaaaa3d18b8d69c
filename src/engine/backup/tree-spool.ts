import { hash } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { KEYS_PATH, TREE_PATH } from '../../protocol/path.ts';
import { DIRECTORY, FILE, type CatalogEntries, type SetRun } from '../catalog/entries.ts';
import { unpackStat } from '../catalog/stat-record.ts';
import { traverse, type TraversedEntry } from '../catalog/traverse.ts';
import { CHUNK_RECORD_BYTES, writeChunkRecord } from '../chunk/chunk-list.ts';
import type { PathNames } from '../crypto/path-names.ts';
import { entryPathOf } from '../filesystem/entry-path.ts';
import { parseDetail } from '../scan/entry-detail.ts';
import { EntriesHash } from '../tree/entries-hash.ts';
import type { TreeFooter, TreeRecord } from '../tree/record.ts';
import { TreeWriter } from '../tree/tree-writer.ts';
import { millisecondsOf, traverseFiles, type ReservedEntry } from './manifest.ts';
import type { ChunkSource } from './seal-chunks.ts';

/**
 * The reserved entries of one run, with their chunks in a temporary file until the service has said which it needs: a
 * tree of a million files is too much to hold.
 */
export interface TreeSpool {
  readonly treeHash: string;
  readonly reserved: readonly ReservedEntry[];
  /** Files of the person in the tree, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Where the chunks of the tree and of the key envelope stand, in order. */
  readonly sources: readonly SpooledChunk[];
  remove(): void;
}

export interface SpooledChunk extends ChunkSource {
  readonly digest: Buffer;
  /** Whether it is the key envelope, whose chunk has a public key. */
  readonly envelope: boolean;
}

export interface TreeSpoolInput {
  readonly file: string;
  readonly entries: CatalogEntries;
  readonly run: SetRun;
  readonly names: PathNames | undefined;
  readonly treeSubKey: Uint8Array;
  readonly keyEnvelope: Uint8Array;
  readonly footer: Omit<TreeFooter, 'entriesHash'>;
  /** Milliseconds since the epoch; the `modified` of the reserved entries. */
  readonly now: number;
  /** Called between batches, so that others get their turn. */
  readonly pause: () => Promise<void>;
}

/** Writes the tree of what the catalog holds now. */
export async function spoolTree(input: TreeSpoolInput): Promise<TreeSpool> {
  const spool = new SpoolFile(input.file);
  try {
    return await writeTree(input, spool);
  } catch (error) {
    spool.remove();
    throw error;
  } finally {
    spool.close();
  }
}

async function writeTree(input: TreeSpoolInput, spool: SpoolFile): Promise<TreeSpool> {
  const { entries, run, names } = input;
  const writer = new TreeWriter(input.treeSubKey, (piece) => spool.append(piece.plaintext, piece.digest, false));
  const entriesHash = new EntriesHash();
  let files = 0;
  let bytes = 0;
  const count = (item: TraversedEntry): void => {
    const { size, mtimeNs } = unpackStat(item.entry.stat);
    files += 1;
    bytes += size;
    entriesHash.add(item.path, size, millisecondsOf(mtimeNs), item.entry.chunks ?? EMPTY, CHUNK_RECORD_BYTES);
  };
  for (const batch of traverse(entries, run.rootsDirectory)) {
    for (const item of batch) {
      writer.write(recordOf(item));
      if (!names && item.entry.kind === FILE) count(item);
    }
    await input.pause();
  }
  // Sealed names have an order of their own, and the hash is over what is sent.
  if (names) {
    for (const batch of traverseFiles(entries, run, names)) {
      batch.forEach(count);
      await input.pause();
    }
  }
  const { treeHash } = writer.finish({ ...input.footer, entriesHash: entriesHash.digest() });
  const treeChunks = spool.chunks.length;
  spool.append(Buffer.from(input.keyEnvelope), hash('sha256', input.keyEnvelope, 'buffer'), true);
  return {
    treeHash,
    files,
    bytes,
    sources: spool.chunks,
    reserved: [
      { path: TREE_PATH, modified: input.now, chunks: chunkListOf(spool.chunks.slice(0, treeChunks)) },
      // The envelope's time must not move, or it would be a new version in every run.
      { path: KEYS_PATH, modified: 0, chunks: chunkListOf(spool.chunks.slice(treeChunks)) },
    ],
    remove: () => spool.remove(),
  };
}

const EMPTY = Buffer.alloc(0);

function recordOf({ path, entry }: TraversedEntry): TreeRecord {
  const stat = unpackStat(entry.stat);
  const { target, xattrs } = parseDetail(entry.detail);
  const shared = {
    path,
    mode: stat.mode & 0o7777,
    mtimeNs: stat.mtimeNs,
    birthtimeNs: stat.birthtimeNs === 0n ? undefined : stat.birthtimeNs,
    uid: stat.uid,
    gid: stat.gid,
    xattrs,
  };
  if (entry.kind === DIRECTORY) return { ...shared, type: 'directory' };
  if (entry.kind !== FILE) return { ...shared, type: 'symlink', target: target ?? '' };
  return {
    ...shared,
    type: 'file',
    size: stat.size,
    hardLinkGroup: stat.links > 1 ? `${stat.device}:${stat.inode}` : undefined,
    sparse: stat.blocks * 512n < BigInt(stat.size),
  };
}

function chunkListOf(chunks: readonly SpooledChunk[]): Buffer {
  const list = Buffer.alloc(chunks.length * CHUNK_RECORD_BYTES);
  for (const [index, chunk] of chunks.entries()) writeChunkRecord(list, index, chunk.digest, chunk.size);
  return list;
}

class SpoolFile {
  readonly chunks: SpooledChunk[] = [];
  readonly #path: string;
  readonly #entryPath: string;
  readonly #file: number;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
    this.#entryPath = entryPathOf(path);
    this.#file = openSync(path, 'w', 0o600);
  }

  append(plaintext: Buffer, digest: Buffer, envelope: boolean): void {
    for (let done = 0; done < plaintext.length;) done += writeSync(this.#file, plaintext, done);
    const size = plaintext.length;
    this.chunks.push({ path: this.#entryPath, offset: this.#offset, size, digest, envelope });
    this.#offset += size;
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    unlinkSync(this.#path);
  }
}
