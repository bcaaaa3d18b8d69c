import { createReadStream } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { newIdentifier } from '../../identifier.ts';

/** A manifest on disk, until its device and set are known. */
export class ManifestSpool {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(directory: string): Promise<ManifestSpool> {
    const path = join(directory, newIdentifier('req'));
    return new ManifestSpool(path, await open(path, 'wx', 0o600));
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#file.writeFile(bytes);
  }

  read(): AsyncIterable<Uint8Array> {
    return createReadStream(this.#path) as AsyncIterable<Uint8Array>;
  }

  async remove(): Promise<void> {
    await this.#file.close();
    await unlink(this.#path).catch(() => undefined);
  }
}
