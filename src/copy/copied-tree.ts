import { KEYS_PATH, TREE_PATH } from '../protocol/path.ts';
import type { ReservedEntry } from '../archive/backup/manifest/manifest-entries.ts';
import { sequenceAfter } from '../archive/backup/manifest/next-tree.ts';
import type { SeenTree } from '../catalog/history.ts';
import { CHUNK_RECORD_BYTES, writeChunkRecord } from '../format/chunks/chunk-list.ts';
import type { DigestSet } from '../format/chunks/digest-set.ts';
import { sealChunk, type BlobForm, type BlobKind } from '../format/crypto/blob.ts';
import { chunkKeysOf, envelopeKey } from '../format/crypto/chunk-keys.ts';
import type { EpochKey, Keys } from '../format/crypto/keys.ts';
import { decodeFooter, encodeFooter } from '../format/tree/footer.ts';
import { packChunk } from '../format/tree/piece.ts';
import type { VerifiedFooter } from '../format/tree/record.ts';
import { formatChunkHash } from '../protocol/chunk-hash.ts';
import type { SealedBlob } from '../remote/ports.ts';
import { hash } from 'node:crypto';

/** A tree as another destination gets it, with the key envelope beside it. */
export interface CopiedTree {
  readonly tree: SeenTree;
  readonly reserved: readonly ReservedEntry[];
  /** The footer and the envelope, which are not copied as they are. */
  readonly blobs: readonly SealedBlob[];
}

export interface TreeCopy {
  readonly footer: VerifiedFooter;
  /** Plaintext of the key envelope. */
  readonly envelope: Buffer;
  /** The device at the other destination. */
  readonly deviceId: string;
  /** The set's newest tree there. */
  readonly previous: SeenTree | undefined;
  /** True for a tree before others: a chain has no place for it. */
  readonly isPast: boolean;
  /** Chunks that a destination has damaged. The footer gets another name. */
  readonly damaged: DigestSet | undefined;
  /** How the other destination takes blobs. */
  readonly form: BlobForm;
}

/** Makes a footer with the same pieces for the chain of another device, or outside of it. */
export function copyTree(copy: TreeCopy, keys: Keys): CopiedTree {
  const { footer, envelope, deviceId, previous, isPast, damaged, form } = copy;
  const sequence = isPast ? 0 : sequenceAfter(previous);
  const copied = { ...footer, deviceId, sequence, previousTree: isPast ? undefined : previous?.treeHash };
  const raw = Buffer.concat([encodeFooter(copied, footer.pieces, keys.tree), Buffer.from('\n')]);
  const { treeHash } = decodeFooter(raw, keys.tree);
  const { plaintext, digest } = packChunk(raw, (candidate) => damaged?.has(candidate) ?? false);
  const envelopeDigest = hash('sha256', envelope, 'buffer');
  const lists = [...footer.pieces.map(({ chunks }) => chunks), listOf(digest, plaintext.length)];
  return {
    tree: { sequence, treeHash, previousTree: copied.previousTree, created: footer.created },
    reserved: [
      { path: TREE_PATH, modified: footer.created, chunks: Buffer.concat(lists) },
      { path: KEYS_PATH, modified: 0, chunks: listOf(envelopeDigest, envelope.length) },
    ],
    blobs: [
      sealed(plaintext, digest, 'tree', chunkKeysOf(keys.chunk).keyOf(digest)),
      sealed(envelope, envelopeDigest, 'envelope', envelopeKey(envelopeDigest, form)),
    ],
  };
}

function sealed(plaintext: Buffer, digest: Buffer, kind: BlobKind, key: EpochKey | Uint8Array): SealedBlob {
  const name = formatChunkHash(digest.toString('hex'));
  return { hash: name, bytes: sealChunk(key, plaintext), size: plaintext.length, kind };
}

function listOf(digest: Buffer, size: number): Buffer {
  const list = Buffer.alloc(CHUNK_RECORD_BYTES);
  writeChunkRecord(list, 0, digest, size);
  return list;
}
