import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../base/files/json-file.ts';
import { hookResults, type HookResults } from '../../ipc/contract/hooks.ts';
import type { Home } from '../home/home.ts';

const fileForm = z.object({ version: z.literal(1), sets: z.record(z.string(), hookResults) });

/** Sets whose results are stored. Those of others are forgotten, the oldest first. */
const MOST_SETS = 100;

/** How the last commands and pings of each set ended. Nothing depends on the file: without it nothing is known. */
export class HookResultsFile {
  readonly #file: JsonFile<typeof fileForm>;

  constructor(home: Pick<Home, 'folder'>) {
    this.#file = new JsonFile(join(home.folder, 'hook-results.json'), fileForm);
  }

  of(set: string): HookResults {
    return this.#load()[set] ?? {};
  }

  /** Stores results beside the others of the set. A failure to write is ignored. */
  record(set: string, results: HookResults): void {
    const { [set]: before = {}, ...others } = this.#load();
    const kept = Object.entries(others).slice(-(MOST_SETS - 1));
    try {
      this.#file.writeSync({ version: 1, sets: { ...Object.fromEntries(kept), [set]: { ...before, ...results } } });
    } catch {
      // A full disk must not fail a backup that succeeded.
    }
  }

  /** Forgets the results of commands and pings that have changed. */
  forget(set: string, changed: readonly (keyof HookResults)[]): void {
    const known = this.of(set);
    const forgotten = changed.filter((name) => known[name] !== undefined);
    if (forgotten.length === 0) return;
    this.record(set, Object.fromEntries(forgotten.map((name) => [name, undefined])));
  }

  #load(): Readonly<Record<string, HookResults>> {
    return this.#file.readSync(() => undefined)?.sets ?? {};
  }
}
