import { readSync } from 'node:fs';
import path from 'node:path';
import { isCompressedFormat, SIGNATURE_BYTES } from './compressed-formats.ts';

/** Extensions of formats whose content is compressed already. Their beginnings have no signature, or were not read. */
const COMPRESSED_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    '7z aac apk avi avif br bz2 cab deb dmg docx epub flac gif gz heic heif jar jp2 jpeg jpg jxl lz lz4 lzma lzo m4a m4v ' +
    'mkv mov mp3 mp4 mpeg mpg odp ods odt ogg opus png pptx rar rpm tbz tgz txz webm webp whl wma wmv woff woff2 xlsx xz ' +
    'zip zst'
  ).split(' '),
);

/** Whether a file's content is compressed already, by its name or its beginning. Determined when it is first asked for. */
export class FileKind {
  readonly #path: string;
  readonly #read: (bytes: number) => Uint8Array;
  #isCompressed: boolean | undefined;

  /** @param read returns the first bytes of the file */
  constructor(filePath: string, read: (bytes: number) => Uint8Array) {
    this.#path = filePath;
    this.#read = read;
  }

  get isCompressed(): boolean {
    return (this.#isCompressed ??= this.#determine());
  }

  #determine(): boolean {
    if (COMPRESSED_EXTENSIONS.has(path.posix.extname(this.#path).slice(1).toLowerCase())) return true;
    return isCompressedFormat(this.#read(SIGNATURE_BYTES));
  }
}

/** Reads the first bytes of an open file. */
export function readBeginning(file: number, bytes: number): Uint8Array {
  const beginning = Buffer.alloc(bytes);
  return beginning.subarray(0, readSync(file, beginning, 0, bytes, 0));
}
