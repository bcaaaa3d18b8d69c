import { createHash } from 'node:crypto';
import type { RunChanges } from '../../../../src/rules/ransomware.ts';
import type { Home } from './home.ts';

interface Known {
  readonly digest: string;
  readonly bytes: number;
}

/** Counts what a run changes as a service counts it, from the files alone. Most of them are a single chunk. */
export class Census {
  readonly #everStored = new Set<string>();
  #mostFiles = 0;
  #files = new Map<string, Known>();

  /** Returns the changes since the last call. */
  take(home: Home, under = ''): RunChanges {
    const before = this.#files;
    const after = new Map<string, Known>();
    let [versions, ended, bytes, newBytes] = [0, 0, 0, 0];
    for (const path of home.files(under)) {
      const content = home.read(path);
      const known = { digest: createHash('sha1').update(content).digest('hex'), bytes: content.length };
      after.set(path, known);
      const earlier = before.get(path);
      if (earlier?.digest === known.digest) continue;
      if (earlier) ended += 1;
      versions += 1;
      bytes += known.bytes;
      if (!this.#everStored.has(known.digest)) newBytes += known.bytes;
      this.#everStored.add(known.digest);
    }
    for (const path of before.keys()) if (!after.has(path)) ended += 1;
    this.#mostFiles = Math.max(this.#mostFiles, before.size);
    this.#files = after;
    return { filesBefore: before.size, mostFiles: this.#mostFiles, versions, ended, bytes, newBytes };
  }
}
