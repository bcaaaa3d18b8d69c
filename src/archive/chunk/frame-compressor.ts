import { constants, type ZstdOptions } from 'node:zlib';
import { ZstdCompress, type ZlibOptions } from 'minizlib';
import { bufferOf } from '../../base/buffer-of.ts';
import { KIB, MIB } from '../../model/units.ts';

/** zstd's bound of a frame of the largest chunk, 4 MiB: a longer output would come in pieces. */
const LARGEST_FRAME = 4 * MIB + 32 * KIB;

/**
 * Compresses chunks at one level of zstd, each as a frame of its own. zlib's `zstdCompressSync` makes a new context for each call, which
 * takes as long as compressing 4 KiB; this one is used again for every frame.
 */
export class FrameCompressor {
  readonly #stream: ZstdCompress;

  private constructor(level: number) {
    // `params` is an option of zlib's that the type lacks.
    const options: ZlibOptions & ZstdOptions = {
      params: { [constants.ZSTD_c_compressionLevel]: level },
      // Each write ends its frame.
      flush: constants.ZSTD_e_end,
      chunkSize: LARGEST_FRAME,
    };
    this.#stream = new ZstdCompress(options);
  }

  static readonly #ofLevel = new Map<number, FrameCompressor>();

  /** Returns the compressor of this thread. */
  static of(level: number): FrameCompressor {
    const known = FrameCompressor.#ofLevel.get(level);
    if (known) return known;
    const made = new FrameCompressor(level);
    FrameCompressor.#ofLevel.set(level, made);
    return made;
  }

  /** Returns one frame that contains the chunk's size. */
  compress(chunk: Uint8Array): Buffer {
    this.#stream.write(bufferOf(chunk));
    return this.#stream.read()!;
  }
}
