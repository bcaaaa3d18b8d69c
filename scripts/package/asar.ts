import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file in an archive of Electron. */
export interface ArchivedFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 that Electron compares before it uses the file. */
  readonly sha256: string | undefined;
  /** Its first byte; `undefined` for a file that is beside the archive. */
  readonly start: number | undefined;
}

interface Entry {
  readonly files?: Readonly<Record<string, Entry>>;
  readonly size?: number;
  /** From the end of the list, in decimal digits. */
  readonly offset?: string;
  readonly unpacked?: boolean;
  readonly integrity?: { readonly hash: string };
}

/** An archive: the length of its list of files as a 32-bit number at byte 12, that of the list with its padding at byte 4, the list as JSON, and the files. */
export class Asar {
  readonly #bytes: Buffer;
  readonly listBytes: number;
  readonly files: readonly ArchivedFile[];

  constructor(file: string) {
    this.#bytes = readFileSync(file);
    this.listBytes = 8 + this.#bytes.readUInt32LE(4);
    const root = JSON.parse(this.#bytes.toString('utf8', 16, 16 + this.#bytes.readUInt32LE(12))) as Entry;
    this.files = this.#filesOf(root, '');
  }

  /** Returns the files whose contents are not those of the list, with which Electron would end at its start without a word. */
  damaged(): readonly string[] {
    return this.files
      .filter(({ start, size, sha256 }) => {
        if (start === undefined || sha256 === undefined) return false;
        const content = this.#bytes.subarray(start, start + size);
        return content.length !== size || createHash('sha256').update(content).digest('hex') !== sha256;
      })
      .map(({ path }) => path);
  }

  #filesOf(entry: Entry, path: string): readonly ArchivedFile[] {
    if (entry.files) {
      return Object.entries(entry.files).flatMap(([name, below]) =>
        this.#filesOf(below, path === '' ? name : `${path}/${name}`),
      );
    }
    const start = entry.offset === undefined ? undefined : this.listBytes + Number(entry.offset);
    return [{ path, size: entry.size ?? 0, sha256: entry.integrity?.hash, start }];
  }
}
