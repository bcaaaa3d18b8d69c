/** What identifies a file: an update of a package replaces it, even by one with the same content. */
export interface FileIdentity {
  readonly ino: number;
  readonly mtimeMs: number;
  readonly size: number;
}

export type ProgramChange = 'replaced' | 'removed';

/**
 * Watches whether the running program was replaced or removed by a package manager. A change counts once it is found twice the same: until then
 * the package may still be in the middle of its installation.
 */
export class ProgramWatch {
  readonly #identify: () => FileIdentity | undefined;
  readonly #original: string;
  #seen: string;
  #reported: string;

  /** @param identify returns `undefined` if the file does not exist */
  constructor(identify: () => FileIdentity | undefined) {
    this.#identify = identify;
    this.#original = nameOf(identify());
    this.#seen = this.#original;
    this.#reported = this.#original;
  }

  /** Returns what has happened to the program, once for each change. Called regularly. */
  check(): ProgramChange | undefined {
    const now = nameOf(this.#identify());
    const isSettled = now === this.#seen;
    this.#seen = now;
    if (!isSettled || now === this.#reported) return undefined;
    this.#reported = now;
    if (now === this.#original) return undefined;
    return now === GONE ? 'removed' : 'replaced';
  }
}

const GONE = 'gone';

function nameOf(identity: FileIdentity | undefined): string {
  return identity ? `${identity.ino} ${identity.mtimeMs} ${identity.size}` : GONE;
}
