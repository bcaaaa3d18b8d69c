import type { TaskAnswer } from '../../base/limits/thread-pool.ts';
import { encodeParity, mendPack, type DamagedPack } from './parity-file.ts';

/** A pack of which parity is computed. */
export interface WholePack {
  readonly bytes: Uint8Array;
  readonly percent: number;
}

/** The tasks of `parity-thread.ts`. */
export interface ParityTasks {
  readonly encodeParity: (pack: WholePack) => TaskAnswer<Uint8Array>;
  readonly mendPack: (pack: DamagedPack) => TaskAnswer<Uint8Array | undefined>;
}

export const parityTasks: ParityTasks = {
  encodeParity: ({ bytes, percent }) => moved(encodeParity(bytes, percent)),
  mendPack: (pack) => {
    const mended = mendPack(pack);
    return mended ? moved(mended) : { value: undefined };
  },
};

function moved(value: Uint8Array<ArrayBuffer>): TaskAnswer<Uint8Array> {
  return { value, transfer: [value.buffer] };
}
