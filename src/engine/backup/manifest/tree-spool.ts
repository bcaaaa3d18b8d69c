import { hash } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { KEYS_PATH, TREE_PATH } from '../../../protocol/path.ts';
import { DIRECTORY, FILE, type CatalogEntries, type SetRun } from '../../catalog/entries.ts';
import { unpackStat } from '../../filesystem/stat-record.ts';
import { traverse, traverseFrom, type TraversedEntry } from '../../catalog/traverse.ts';
import { CHUNK_RECORD_BYTES, writeChunkRecord } from '../../chunk/chunk-list.ts';
import type { DigestSet } from '../../chunk/digest-set.ts';
import type { BlobKind } from '../../crypto/blob.ts';
import type { PathNames } from '../../crypto/path-names.ts';
import { entryPathOf } from '../../filesystem/entry-path.ts';
import { parseDetail } from '../../scan/entry-detail.ts';
import type { KnownPiece } from '../../tree/piece.ts';
import type { TreeFooter, TreeRecord } from '../../tree/record.ts';
import type { HashedFile } from '../../tree/entries-hash.ts';
import { TreeWriter } from '../../tree/tree-writer.ts';
import { millisecondsOf, type ReservedEntry } from './manifest-entries.ts';
import type { ChunkSource } from '../../chunk/seal-chunks.ts';
import { dirtyPieces, pieceAt, type ReusableTree } from './reusable-tree.ts';

/**
 * The reserved entries of one run. Their chunks are in a temporary file until the service has listed those it needs, since
 * the tree of a million files is too large for memory.
 */
export interface TreeSpool {
  readonly treeHash: string;
  readonly reserved: readonly ReservedEntry[];
  /** Files of the person in the tree, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Pieces of the tree's records; empty if the next tree cannot reuse them. */
  readonly pieces: readonly KnownPiece[];
  /** Digests of reused pieces. Their chunks are not in the spool, so the service must have them. */
  readonly reused: readonly Buffer[];
  /** Positions of the new chunks of the tree and of the key envelope, in order. */
  readonly sources: readonly SpooledChunk[];
  remove(): void;
}

export interface SpooledChunk extends ChunkSource {
  readonly digest: Buffer;
}

export interface TreeSpoolInput {
  readonly file: string;
  readonly entries: CatalogEntries;
  readonly run: SetRun;
  readonly names: PathNames | undefined;
  readonly treeSubKey: Uint8Array;
  readonly keyEnvelope: Uint8Array;
  readonly footer: Omit<TreeFooter, 'entriesHash'>;
  /** The previous tree, if its pieces may be reused. */
  readonly reuse: ReusableTree | undefined;
  /** `modified` of the reserved entries, in milliseconds since the epoch. */
  readonly now: number;
  /** Called between batches, to yield to the event loop. */
  readonly pause: () => Promise<void>;
}

/** Writes the tree of the catalog's current content. */
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

/** Removes the file once it is written or writing it has failed. */
export async function removeSpool(spooling: Promise<TreeSpool>): Promise<void> {
  const spool = await spooling.catch(() => undefined);
  spool?.remove();
}

async function writeTree(input: TreeSpoolInput, spool: SpoolFile): Promise<TreeSpool> {
  const pieces: KnownPiece[] = [];
  const tree: ListedChunk[] = [];
  const reused: Buffer[] = [];
  const damaged = input.entries.damaged.digests();
  const writer = new TreeWriter(
    input.treeSubKey,
    (piece, known) => {
      const { plaintext, digest } = piece;
      spool.append(plaintext, digest, 'tree');
      tree.push({ digest, size: plaintext.length });
      if (known) pieces.push(known);
    },
    damaged,
  );
  const reusePiece = (piece: KnownPiece): void => {
    writer.reuse(piece);
    tree.push(piece);
    pieces.push(piece);
    reused.push(piece.digest);
  };
  await writeRecords(input, writer, reusePiece, damaged);
  const { treeHash, files, bytes } = writer.finish(input.footer);
  const envelope = envelopeBeside(input.keyEnvelope, damaged);
  spool.append(envelope.bytes, envelope.digest, 'envelope');
  return {
    treeHash,
    files,
    bytes,
    pieces: writer.isDivisible ? pieces : [],
    reused,
    sources: spool.chunks,
    reserved: [
      { path: TREE_PATH, modified: input.now, chunks: chunkListOf(tree) },
      // A later time would make the envelope a new version in every run.
      { path: KEYS_PATH, modified: 0, chunks: chunkListOf([{ ...envelope, size: envelope.bytes.length }]) },
    ],
    remove: () => spool.remove(),
  };
}

/** Appends spaces to the envelope's JSON until its digest differs from chunks that the destination has damaged. */
function envelopeBeside(
  keyEnvelope: Uint8Array,
  damaged: DigestSet | undefined,
): { readonly bytes: Buffer; readonly digest: Buffer } {
  for (let bytes = Buffer.from(keyEnvelope); ; bytes = Buffer.concat([bytes, Buffer.from(' ')])) {
    const digest = hash('sha256', bytes, 'buffer');
    if (!damaged?.has(digest)) return { bytes, digest };
  }
}

/**
 * Reuses pieces without changes. From the beginning of a dirty piece it writes records until a new piece ends where a clean
 * piece of the previous tree begins. Cut points depend on the records alone, so the two soon coincide.
 */
async function writeRecords(
  input: TreeSpoolInput,
  writer: TreeWriter,
  reusePiece: (piece: KnownPiece) => void,
  damaged: DigestSet | undefined,
): Promise<void> {
  const { entries, run, reuse } = input;
  if (!reuse || reuse.pieces.length === 0) {
    await writeUntil(input, writer, traverse(entries, run.rootsDirectory), () => false);
    return;
  }
  const { pieces } = reuse;
  const dirty = dirtyPieces(reuse).map((isDirty, index) => isDirty || damaged?.has(pieces[index]!.digest) === true);
  let next = 0;
  // True if a clean piece begins where the new tree is between two pieces.
  const resumes = (path: string): boolean => {
    next = Math.max(next, pieceAt(pieces, path));
    return pieces[next]!.firstPath === path && !dirty[next];
  };
  while (next < pieces.length) {
    if (dirty[next]) {
      const from = next === 0 ? '' : pieces[next]!.firstPath;
      const batches =
        next === 0 ? traverse(entries, run.rootsDirectory) : traverseFrom(entries, run.rootsDirectory, from);
      if (!(await writeUntil(input, writer, batches, resumes))) return;
    }
    reusePiece(pieces[next]!);
    next += 1;
  }
}

/** Writes records until one would begin a reusable piece. Returns whether that was reached. */
async function writeUntil(
  input: TreeSpoolInput,
  writer: TreeWriter,
  batches: Iterable<readonly TraversedEntry[]>,
  resumes: (path: string) => boolean,
): Promise<boolean> {
  for (const batch of batches) {
    for (const item of batch) {
      if (isWholeDisk(item.path)) continue;
      if (writer.isBetweenPieces && resumes(item.path)) return true;
      writer.write(recordOf(item), item.entry.kind === FILE ? fileOf(item, input.names) : undefined);
    }
    await input.pause();
  }
  return false;
}

/** Returns whether a path is the root of a whole disk, `/` or `C:/`: it has no name, so a tree has no record of it. */
function isWholeDisk(path: string): boolean {
  return path === '/' || (path.length === 3 && path.endsWith(':/'));
}

const EMPTY = Buffer.alloc(0);

function fileOf({ path, entry }: TraversedEntry, names: PathNames | undefined): HashedFile {
  const { size, mtimeNs } = unpackStat(entry.stat);
  return {
    path: names ? names.sealPath(path) : path,
    size,
    modified: millisecondsOf(mtimeNs),
    chunks: entry.chunks ?? EMPTY,
    stride: CHUNK_RECORD_BYTES,
  };
}

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

interface ListedChunk {
  readonly digest: Buffer;
  readonly size: number;
}

function chunkListOf(chunks: readonly ListedChunk[]): Buffer {
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

  append(plaintext: Buffer, digest: Buffer, kind: BlobKind): void {
    for (let done = 0; done < plaintext.length;) done += writeSync(this.#file, plaintext, done);
    const size = plaintext.length;
    this.chunks.push({ path: this.#entryPath, offset: this.#offset, size, digest, kind });
    this.#offset += size;
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    unlinkSync(this.#path);
  }
}
