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

/** Signatures of compressed formats, whose content looks random. */
const COMPRESSED: readonly (readonly [offset: number, ...bytes: number[]])[] = [
  [0, 0xff, 0xd8, 0xff], // JPEG
  [0, 0x89, 0x50, 0x4e, 0x47], // PNG
  [0, 0x47, 0x49, 0x46, 0x38], // GIF
  [0, 0x50, 0x4b], // ZIP, and office documents
  [0, 0x1f, 0x8b], // gzip
  [0, 0x42, 0x5a, 0x68], // bzip2
  [0, 0xfd, 0x37, 0x7a, 0x58, 0x5a], // xz
  [0, 0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0, 0x04, 0x22, 0x4d, 0x18], // lz4
  [0, 0x78, 0x01], // zlib, as in Git's objects
  [0, 0x78, 0x9c],
  [0, 0x78, 0xda],
  [0, 0x77, 0x4f, 0x46], // WOFF
  [0, 0x37, 0x7a, 0xbc, 0xaf], // 7z
  [0, 0x52, 0x61, 0x72, 0x21], // RAR
  [0, 0x25, 0x50, 0x44, 0x46], // PDF
  [0, 0x52, 0x49, 0x46, 0x46], // WebP, AVI
  [0, 0x4f, 0x67, 0x67, 0x53], // Ogg
  [0, 0x66, 0x4c, 0x61, 0x43], // FLAC
  [0, 0x49, 0x44, 0x33], // MP3
  [0, 0xff, 0xfb], // MP3 without a tag
  [0, 0x1a, 0x45, 0xdf, 0xa3], // Matroska, WebM
  [4, 0x66, 0x74, 0x79, 0x70], // MP4, HEIC, AVIF
];

const counts = new Uint32Array(256);

/**
 * Returns whether a file looks encrypted: its bytes are uniformly distributed, and it has no signature of a compressed
 * format.
 *
 * @param beginning the first 4,608 bytes of the file or more, or all of a shorter file
 */
export function looksEncrypted(beginning: Uint8Array): boolean {
  if (COMPRESSED.some(([offset, ...bytes]) => bytes.every((byte, index) => beginning[offset + index] === byte))) {
    return false;
  }
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
