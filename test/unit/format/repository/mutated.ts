import type { Random } from '../../../helpers/random.ts';

/** Alters bytes: flips bits, cuts, inserts, repeats or exchanges parts. */
export function mutated(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const length = random.below(Math.min(64, bytes.length - at + 1));
  switch (random.below(6)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      for (let count = random.below(8); count >= 0; count -= 1) {
        flipped[random.below(bytes.length)]! ^= 1 << random.below(8);
      }
      return flipped;
    }
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return bytes.subarray(at);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(40)), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    default:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
  }
}
