import { DIRECTORY, FILE, type KnownEntry } from '../../catalog/entries/entry.ts';
import { unpackStat } from '../../os/filesystem/stat-record.ts';
import type { KnownContent } from './known-content.ts';
import type { ScanCounts } from './types.ts';

/** Counts what belongs to a run. */
export class Tally {
  readonly #content: KnownContent;
  #entries = 0;
  #files = 0;
  #bytes = 0;
  #unchangedFiles = 0;

  constructor(content: KnownContent) {
    this.#content = content;
  }

  get counts(): ScanCounts {
    return { entries: this.#entries, files: this.#files, bytes: this.#bytes, unchangedFiles: this.#unchangedFiles };
  }

  addFolder(): void {
    this.#entries += 1;
  }

  addLink(): void {
    this.#entries += 1;
  }

  addFile(bytes: number, isUnchanged: boolean): void {
    this.#entries += 1;
    this.#files += 1;
    this.#bytes += bytes;
    if (isUnchanged) this.#unchangedFiles += 1;
  }

  /** Adds an entry that keeps its last known version, and what is in it. */
  addKnown(known: KnownEntry): undefined {
    if (known.kind === FILE) this.addFile(unpackStat(known.stat).size, true);
    else if (known.kind === DIRECTORY) {
      this.addFolder();
      this.addKnownIn(known.child);
    } else this.addLink();
  }

  /** Adds what is in a directory. */
  addKnownIn(directory: number | null | undefined): void {
    for (const entry of this.#content.of(directory)) this.addKnown(entry);
  }
}
