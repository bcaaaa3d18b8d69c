import { isCompressedFormat } from './compressed-formats.ts';

/** Bytes to examine: enough for the test, and cheap compared with hashing. */
const SAMPLE = 4_096;
/** Smaller samples give random results. */
const SMALLEST_SAMPLE = 512;
/** Ransomware may write a header before the encrypted content. */
const SKIPPED = 512;

/**
 * Threshold of Pearson's chi-squared. Random bytes have a mean of 255 and a standard deviation of 22.6; this is six of them
 * above. Texts, programs and documents have thousands.
 */
const MOST_RANDOM = 400;

const counts = new Uint32Array(256);

/**
 * Returns whether a file looks encrypted: its bytes are uniformly distributed, and it has no signature of a compressed
 * format.
 *
 * @param beginning the first 4,608 bytes of the file or more, or all of a shorter file
 */
export function looksEncrypted(beginning: Uint8Array): boolean {
  if (isCompressedFormat(beginning)) return false;
  const start = beginning.length >= SKIPPED + SAMPLE ? SKIPPED : 0;
  const end = Math.min(beginning.length, start + SAMPLE);
  const length = end - start;
  if (length < SMALLEST_SAMPLE) return false;
  counts.fill(0);
  for (let index = start; index < end; index += 1) counts[beginning[index]!]! += 1;
  const expected = length / 256;
  let chiSquared = 0;
  for (const count of counts) chiSquared += (count - expected) ** 2 / expected;
  return chiSquared < MOST_RANDOM;
}
