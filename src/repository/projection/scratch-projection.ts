import { rmSync } from 'node:fs';
import { Projection } from './projection.ts';

/** A projection in a file of its own, which is removed at the end. */
export class ScratchProjection implements Disposable {
  readonly projection: Projection;
  readonly #file: string;

  constructor(file: string, repository: string) {
    this.#file = file;
    // One that a killed process left is not fresh.
    this.#remove();
    this.projection = new Projection(file, repository);
  }

  [Symbol.dispose](): void {
    this.projection[Symbol.dispose]();
    this.#remove();
  }

  #remove(): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#file + suffix, { force: true });
  }
}
