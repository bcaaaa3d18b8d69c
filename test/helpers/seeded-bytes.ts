import { seededBytes as seededStream } from '../../bench/data-sets/seeded-bytes.ts';

/** Returns pseudorandom bytes, which no compression shortens. */
export function seededBytes(length: number, seed: string | number): Buffer {
  return seededStream(String(seed))(length);
}
