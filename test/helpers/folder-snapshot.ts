import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of a folder's content, such as a computer after its set-up, with which each test of a file begins. */
export class FolderSnapshot implements Disposable {
  readonly #folder: string;
  readonly #copy: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#copy = mkdtempSync(join(tmpdir(), 'holdfast-snapshot-'));
    copy(folder, this.#copy);
  }

  /** Gives the folder the content that it had. No program may use it. */
  restore(): void {
    for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name), { recursive: true });
    copy(this.#copy, this.#folder);
  }

  [Symbol.dispose](): void {
    rmSync(this.#copy, { recursive: true, force: true });
  }
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}
