import { setImmediate as nextTurn } from 'node:timers/promises';
import { isHoldfastError } from '../../base/errors.ts';
import { openBlob } from '../../engine/crypto/blob.ts';
import { chunkKeysOf, ENVELOPE_CHUNK_KEY } from '../../engine/crypto/chunk-keys.ts';
import { DamagedFileError } from '../format/damage.ts';
import { packName } from '../format/file-names.ts';
import {
  blobBytesOf,
  openPackTable,
  PACK_TRAILER_BYTES,
  sealedTableBytes,
  type PackedBlob,
  type PlacedBlob,
} from '../format/pack-file.ts';
import type { Repository } from '../repository.ts';

/** Bytes that are opened before other work of the event loop continues. */
const SLICE_BYTES = 2 * 1024 * 1024;
/** Bytes at the end of a pack that have its table, unless that is very long. */
const END_BYTES = 64 * 1024;

/** An opened table. */
export interface PackEnd {
  readonly table: Buffer;
  readonly blobs: readonly PlacedBlob[];
}

/**
 * Reads the table at the end of a pack.
 *
 * @param bytes of the file
 * @throws DamagedFileError; what the storage throws
 */
export async function readPackEnd(
  { storage, repositoryKeys, id }: Pick<Repository, 'storage' | 'repositoryKeys' | 'id'>,
  hash: string,
  bytes: number,
  signal?: AbortSignal,
): Promise<PackEnd> {
  const file = packName(hash);
  const read = async (length: number): Promise<Uint8Array> => {
    const end = await storage.get(file, { offset: bytes - length, length }, signal);
    if (!end) throw new DamagedFileError(file, 'missing');
    if (end.length !== length) throw new DamagedFileError(file, 'length');
    return end;
  };
  if (bytes < PACK_TRAILER_BYTES) throw new DamagedFileError(file, 'length');
  let end = await read(Math.min(bytes, END_BYTES));
  const sealedBytes = sealedTableBytes(file, end.subarray(-PACK_TRAILER_BYTES), bytes);
  const endBytes = sealedBytes + PACK_TRAILER_BYTES;
  if (endBytes > end.length) end = await read(endBytes);
  const sealed = end.subarray(end.length - endBytes, end.length - PACK_TRAILER_BYTES);
  const opened = openPackTable({ key: repositoryKeys.pack, repository: id, file }, sealed, bytes);
  if (blobBytesOf(opened.blobs) + endBytes !== bytes) throw new DamagedFileError(file, 'content');
  return opened;
}

/** Opens blobs with the keys of their chunks. */
export class BlobOpener {
  readonly #keys;
  #untilPause = SLICE_BYTES;

  constructor({ keys }: Pick<Repository, 'keys'>) {
    this.#keys = chunkKeysOf(keys.chunk);
  }

  /** Returns the plaintext; `undefined` if the blob is damaged. */
  open({ digest, kind }: Pick<PackedBlob, 'digest' | 'kind'>, blob: Uint8Array): Buffer | undefined {
    const bytes = Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength);
    try {
      return openBlob(kind === 'envelope' ? ENVELOPE_CHUNK_KEY : this.#keys.keyOf(bytes), blob, bytes);
    } catch (error) {
      if (isHoldfastError(error)) return undefined;
      throw error;
    }
  }

  /** Returns those blobs of a pack that open, after as many turns of the event loop as that takes. */
  async sound(
    blobs: readonly PlacedBlob[],
    pack: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<readonly { readonly blob: PlacedBlob; readonly bytes: Uint8Array }[]> {
    const sound: { blob: PlacedBlob; bytes: Uint8Array }[] = [];
    for (const blob of blobs) {
      const bytes = pack.subarray(blob.offset, blob.offset + blob.length);
      if (bytes.length === blob.length && this.open(blob, bytes)) sound.push({ blob, bytes });
      this.#untilPause -= blob.length;
      if (this.#untilPause > 0) continue;
      this.#untilPause = SLICE_BYTES;
      await nextTurn();
      signal?.throwIfAborted();
    }
    return sound;
  }
}
