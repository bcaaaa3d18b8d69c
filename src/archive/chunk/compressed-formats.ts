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

const FIRST_BYTES: ReadonlySet<number> = new Set(
  COMPRESSED.flatMap(([offset, first]) => (offset === 0 ? [first!] : [])),
);
const LATER = COMPRESSED.filter(([offset]) => offset > 0);

/** Bytes of a file that the signatures need. */
export const SIGNATURE_BYTES = 16;

/** Returns whether a file has the signature of a compressed format. */
export function isCompressedFormat(beginning: Uint8Array): boolean {
  // Most texts begin with another byte. This is asked for every file.
  const candidates = FIRST_BYTES.has(beginning[0] ?? 0) ? COMPRESSED : LATER;
  return candidates.some(([offset, ...bytes]) => bytes.every((byte, index) => beginning[offset + index] === byte));
}
