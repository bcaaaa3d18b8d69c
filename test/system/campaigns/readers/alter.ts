import type { Random } from '../../../helpers/random.ts';

/** Values at which lengths and counts go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff];
const EDGE_NUMBERS = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
/** What formats in text are made of. */
const FRAGMENTS = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u0000',
  '\n',
  'null',
  'true',
  '-1',
  '1e999',
  '9007199254740993',
  '0.5',
  '""',
  '{}',
  '[]',
  '/../',
  '/./',
  '//',
  '\0',
  '\ud83d',
  '__proto__',
  'constructor',
  '99999999999999999999',
  '=',
  '+',
  '_',
].map((text) => Buffer.from(text));
/** Altered bytes are at most so much longer than the sample. */
const MOST_ADDED = 4_096;

/** Returns bytes that differ from the sample in one to four places, or that mix two samples. */
export function alter(random: Random, sample: Buffer, other: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(sample);
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) bytes = random.pick(CHANGES)(random, bytes, other);
  return bytes;
}

type Change = (random: Random, bytes: Buffer, other: Buffer) => Buffer;

const CHANGES: readonly Change[] = [
  function flipBit(random, bytes) {
    if (bytes.length > 0) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
    return bytes;
  },
  function setByte(random, bytes) {
    if (bytes.length > 0)
      bytes[random.below(bytes.length)] = random.chance(0.5) ? random.pick(EDGES) : random.below(256);
    return bytes;
  },
  function setNumber(random, bytes) {
    if (bytes.length >= 4) bytes.writeUInt32BE(random.pick(EDGE_NUMBERS), random.below(bytes.length - 3));
    return bytes;
  },
  function cutOff(random, bytes) {
    return bytes.subarray(0, random.below(bytes.length + 1));
  },
  function removePart(random, bytes) {
    const start = random.below(bytes.length + 1);
    const end = start + random.below(Math.min(64, bytes.length - start) + 1);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  function repeatPart(random, bytes) {
    const start = random.below(bytes.length + 1);
    const part = bytes.subarray(start, start + random.below(256));
    const times = 1 + random.below(Math.max(1, Math.floor(MOST_ADDED / Math.max(1, part.length))));
    return Buffer.concat([
      bytes.subarray(0, start),
      ...Array.from({ length: times }, () => part),
      bytes.subarray(start),
    ]);
  },
  function insertFragment(random, bytes) {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), random.pick(FRAGMENTS), bytes.subarray(at)]);
  },
  function overwriteWithFragment(random, bytes) {
    const fragment = random.pick(FRAGMENTS);
    if (bytes.length >= fragment.length) fragment.copy(bytes, random.below(bytes.length - fragment.length + 1));
    return bytes;
  },
  function joinWithOther(random, bytes, other) {
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ]);
  },
  function replaceAll(random) {
    return random.bytes(random.below(200));
  },
];
