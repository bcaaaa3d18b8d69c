import * as fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * Any character of Unicode, for `fc.string({ unit: anyCharacter })`. fast-check's own `binary` is the same, and takes a second of
 * processor time to make in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES })
  .map((point) => String.fromCodePoint(point < FIRST_SURROGATE ? point : point + SURROGATES));
