import { setImmediate as nextTurn } from 'node:timers/promises';
import { bufferOf } from '../../base/buffer-of.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { chunkKeysOf, openEnvelope } from '../../format/crypto/chunk-keys.ts';
import type { PackedBlob, PlacedBlob } from '../../format/repository/pack-file.ts';
import type { Repository } from '../repository.ts';
import { MIB } from '../../model/units.ts';

/** Bytes that are opened before other work of the event loop continues. */
const SLICE_BYTES = 2 * MIB;
/** Opens blobs with the keys of their chunks. */
export class BlobOpener {
  readonly #keys;
  #untilPause = SLICE_BYTES;

  constructor({ keys }: Pick<Repository, 'keys'>) {
    this.#keys = chunkKeysOf(keys.chunk);
  }

  /** Returns the plaintext; `undefined` if the blob is damaged. */
  open({ digest, kind }: Pick<PackedBlob, 'digest' | 'kind'>, blob: Uint8Array): Buffer | undefined {
    const bytes = bufferOf(digest);
    try {
      return kind === 'envelope' ? openEnvelope(blob, bytes) : this.#keys.open(blob, bytes);
    } catch (error) {
      if (isHoldfastError(error)) return undefined;
      throw error;
    }
  }

  /** Returns whether a blob is sound, of whatever kind it is: the key envelope has a key of its own. */
  opens(digest: Uint8Array, blob: Uint8Array): boolean {
    return (['data', 'envelope'] as const).some((kind) => this.open({ digest, kind }, blob) !== undefined);
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
