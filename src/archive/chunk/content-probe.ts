import { looksEncrypted } from './encryption-probe.ts';
import { checkBeginning, checkEnding, isSealedArchive } from './format-check.ts';

/** The content looks encrypted: random bytes in no known format, or an archive with a password. */
export const RANDOM = 1;
/** The content is not of the format that the extension stands for. */
export const DAMAGED = 2;
/** It is. */
export const INTACT = 4;

/** Combines the signs of a file's first part with those of a later one. */
export function withLaterSigns(first: number, later: number): number {
  return (first & INTACT) !== 0 && (later & DAMAGED) !== 0 ? (first & ~INTACT) | DAMAGED : first;
}

/** Examines the content of a file while it is read. */
export class ContentProbe {
  readonly #path: string;
  #signs = 0;
  #hasFirst = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** A combination of the flags above; `INTACT` excludes `DAMAGED`. */
  get signs(): number {
    return (this.#signs & DAMAGED) === 0 ? this.#signs : this.#signs & ~INTACT;
  }

  /** @param chunk the first of the file; its signs replace those of an earlier attempt */
  addFirst(chunk: Uint8Array): void {
    const check = checkBeginning(this.#path, chunk);
    this.#hasFirst = true;
    this.#signs = looksEncrypted(chunk) || isSealedArchive(chunk) ? RANDOM : 0;
    if (check === 'damaged') this.#signs |= DAMAGED;
    if (check === 'intact') this.#signs |= INTACT;
  }

  /** @param chunk the last of the file, which may be the first, too; another probe may have seen that */
  addLast(chunk: Uint8Array): void {
    if (this.#hasFirst && (this.#signs & INTACT) === 0) return;
    if (checkEnding(this.#path, chunk) === 'damaged') this.#signs |= DAMAGED;
  }
}
