import { spawnSync } from 'node:child_process';
import { closeSync, chmodSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory that can be filled. */
export class SmallDisk implements Disposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns `undefined` if this user may not mount one. @param size as `30m` */
  static mount(folder: string, size: string): SmallDisk | undefined {
    if (process.platform !== 'linux') return undefined;
    mkdirSync(folder, { recursive: true });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', folder]);
    if (mounted.status !== 0) return undefined;
    return new SmallDisk(folder);
  }

  /** Leaves no byte free. */
  fill(): void {
    const file = openSync(this.#file, 'w');
    try {
      for (const size of [2 ** 20, 4096, 1]) this.#fillBy(file, Buffer.alloc(size));
    } finally {
      closeSync(file);
    }
    chmodSync(this.#file, 0o600);
  }

  empty(): void {
    rmSync(this.#file, { force: true });
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['-l', this.folder]);
  }

  get #file(): string {
    return join(this.folder, 'filling');
  }

  #fillBy(file: number, bytes: Buffer): void {
    try {
      for (;;) writeSync(file, bytes);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
}
