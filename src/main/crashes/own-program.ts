import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnProgram } from './redacted-error.ts';
import { MIB } from '../../model/units.ts';

/** A bundle has megabytes; nothing larger is ours. */
const MOST_BYTES = 64 * MIB;

/** The files of the program below a folder, which may be an archive of Electron's. They are read only while a report is made. */
export class ProgramFiles implements OwnProgram {
  readonly #root: string;
  readonly #texts = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  has(place: string): boolean {
    return this.#textOf(place) !== '';
  }

  mentions(place: string, words: readonly string[]): boolean {
    const text = this.#textOf(place);
    return words.every((word) => text.includes(word));
  }

  #textOf(place: string): string {
    const known = this.#texts.get(place);
    if (known !== undefined) return known;
    const text = this.#read(place);
    this.#texts.set(place, text);
    return text;
  }

  #read(place: string): string {
    try {
      const file = join(this.#root, place);
      return statSync(file).size > MOST_BYTES ? '' : readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  }
}
