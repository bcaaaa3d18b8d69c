import { hash } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { KEYS_PATH, TREE_PATH } from '../../../protocol/path.ts';
import { DIRECTORY, FILE } from '../../../catalog/entries/entry.ts';
import type { SeenTree } from '../../../catalog/history.ts';
import { unpackStat } from '../../../os/filesystem/stat-record.ts';
import { traverse, traverseFrom, type TraversedEntry } from '../../../catalog/entries/traverse.ts';
import {
  CHUNK_RECORD_BYTES,
  chunkCount,
  digestAt,
  NO_CHUNKS,
  writeChunkRecord,
} from '../../../format/chunks/chunk-list.ts';
import type { DigestSet } from '../../../format/chunks/digest-set.ts';
import type { BlobKind } from '../../../format/crypto/blob.ts';
import { entryPathOf, fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { parseDetail } from '../../scan/entry-detail.ts';
import { pieceAt } from '../../../format/tree/piece-ranges.ts';
import type { KnownPiece } from '../../../format/tree/piece.ts';
import type { TreeFooter, TreeRecord } from '../../../format/tree/record.ts';
import { TreeWriter } from '../../../format/tree/tree-writer.ts';
import type { ReservedEntry } from './manifest-entries.ts';
import type { ChunkSource } from '../../chunk/seal-chunks.ts';
import type { CatalogRun } from '../catalog-run.ts';
import { dirtyPieces, type ReusableTree } from './reusable-tree.ts';
import type { EpochKeys } from '../../../format/crypto/keys.ts';

/**
 * The reserved entries of one run. Their chunks are in a temporary file until the service has listed those it needs, since
 * the tree of a million files is too large for memory.
 */
export interface TreeSpool {
  readonly tree: SeenTree;
  readonly reserved: readonly ReservedEntry[];
  /** Files of the person in the tree, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Pieces of the tree's records. */
  readonly pieces: readonly KnownPiece[];
  /** Digests of the chunks of reused pieces. These are not in the spool, so the service must have them. */
  readonly reused: readonly Buffer[];
  /** Positions of the new chunks of the tree and of the key envelope, in order. */
  readonly sources: readonly SpooledChunk[];
  remove(): void;
}

export interface SpooledChunk extends ChunkSource {
  readonly digest: Buffer;
}

export interface TreeSpoolInput extends CatalogRun {
  readonly file: string;
  readonly treeSubKeys: EpochKeys;
  readonly keyEnvelope: Uint8Array;
  readonly footer: TreeFooter;
  /** Chunks that a destination has damaged. The tree gets others. */
  readonly damaged: DigestSet | undefined;
  /** The previous tree, if its pieces may be reused. */
  readonly reuse: ReusableTree | undefined;
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

/** Returns a reader of the chunks in a spool, by their digests. Valid until the spool is removed. */
export function spooledChunks({ sources }: TreeSpool): (digest: Buffer) => Buffer | undefined {
  const byDigest = new Map(sources.map((source) => [source.digest.toString('hex'), source]));
  return (digest) => {
    const source = byDigest.get(digest.toString('hex'));
    if (!source) return undefined;
    const plaintext = Buffer.alloc(source.size);
    const file = openSync(fileSystemPath(source.path), 'r');
    try {
      const bytes = readSync(file, plaintext, 0, source.size, source.offset);
      return bytes === source.size ? plaintext : undefined;
    } finally {
      closeSync(file);
    }
  };
}

/** Removes the file once it is written or writing it has failed. */
export async function removeSpool(spooling: Promise<TreeSpool>): Promise<void> {
  const spool = await spooling.catch(() => undefined);
  spool?.remove();
}

async function writeTree(input: TreeSpoolInput, spool: SpoolFile): Promise<TreeSpool> {
  const pieces: KnownPiece[] = [];
  /** Chunk lists, in order. */
  const lists: Buffer[] = [];
  const reused: Buffer[] = [];
  const { damaged } = input;
  const writer = new TreeWriter(input.treeSubKeys, {
    onChunk: ({ plaintext, digest }) => {
      spool.append(plaintext, digest, 'tree');
      lists.push(listOf(digest, plaintext.length));
    },
    onPiece: (piece) => pieces.push(piece),
    damaged,
  });
  const reusePiece = (piece: KnownPiece): void => {
    writer.reuse(piece);
    lists.push(piece.chunks);
    pieces.push(piece);
    reused.push(...digestsOf(piece));
  };
  await writeRecords(input, writer, reusePiece);
  const { treeHash, files, bytes } = writer.finish(input.footer);
  const { sequence, previousTree, created } = input.footer;
  const envelope = envelopeBeside(input.keyEnvelope, damaged);
  spool.append(envelope.bytes, envelope.digest, 'envelope');
  return {
    tree: { sequence, treeHash, previousTree, created },
    files,
    bytes,
    pieces,
    reused,
    sources: spool.chunks,
    reserved: [
      { path: TREE_PATH, modified: input.footer.created, chunks: Buffer.concat(lists) },
      // A later time would make the envelope a new version in every run.
      { path: KEYS_PATH, modified: 0, chunks: listOf(envelope.digest, envelope.bytes.length) },
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
): Promise<void> {
  const { entries, run, reuse, damaged } = input;
  if (!reuse || reuse.pieces.length === 0) {
    await writeUntil(input, writer, traverse(entries, run.rootsDirectory), () => false);
    return;
  }
  const { pieces } = reuse;
  const isDamaged = (piece: KnownPiece): boolean => digestsOf(piece).some((digest) => damaged?.has(digest) === true);
  const dirty = dirtyPieces(reuse).map((isDirty, index) => isDirty || isDamaged(pieces[index]!));
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
      writer.write(recordOf(item));
    }
    await input.pause();
  }
  return false;
}

/** Returns whether a path is the root of a whole disk, `/` or `C:/`: it has no name, so a tree has no record of it. */
function isWholeDisk(path: string): boolean {
  return path === '/' || (path.length === 3 && path.endsWith(':/'));
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
    chunks: entry.chunks ?? NO_CHUNKS,
    hardLinkGroup: stat.links > 1 ? `${stat.device}:${stat.inode}` : undefined,
    sparse: stat.blocks * 512n < BigInt(stat.size),
  };
}

/** A chunk list of one chunk. */
function listOf(digest: Buffer, size: number): Buffer {
  const list = Buffer.alloc(CHUNK_RECORD_BYTES);
  writeChunkRecord(list, 0, digest, size);
  return list;
}

function digestsOf({ chunks }: KnownPiece): readonly Buffer[] {
  return Array.from({ length: chunkCount(chunks) }, (_, index) => digestAt(chunks, index));
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
