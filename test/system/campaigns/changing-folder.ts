import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../helpers/random.ts';

/** A folder to back up, with files of random bytes that change. */
export class ChangingFolder {
  readonly path: string;
  readonly #random: Random;
  readonly #files: number;
  readonly #mostBytes: number;

  /**
   * @param files their number at first
   * @param mostBytes of a file
   */
  constructor(
    path: string,
    random: Random,
    { files, mostBytes }: { readonly files: number; readonly mostBytes: number },
  ) {
    this.path = path;
    this.#random = random;
    this.#files = files;
    this.#mostBytes = mostBytes;
  }

  /** Creates it. */
  create(): void {
    mkdirSync(this.path);
    for (let file = 0; file < this.#files; file += 1) this.#write(`file ${file}`);
  }

  /** Changes a few files, and removes or adds one. */
  change(): void {
    const files = readdirSync(this.path);
    for (let changed = 0; changed < 3; changed += 1) this.#write(this.#random.pick(files));
    if (files.length > this.#files) rmSync(join(this.path, this.#random.pick(files)));
    else this.#write(`another ${this.#random.below(1_000)}`);
  }

  #write(name: string): void {
    writeFileSync(join(this.path, name), this.#random.bytes(1 + this.#random.below(this.#mostBytes)));
  }
}
