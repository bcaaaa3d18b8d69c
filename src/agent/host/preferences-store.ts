import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { DEFAULT_PREFERENCES, preferences, type Preferences } from '../../ipc/contract/preferences.ts';
import { writeFileAtomicallySync } from '../home/atomic-file.ts';
import { prepareHome, type Home } from '../home/home.ts';

const VERSION = 1;
const fileForm = z.object({ version: z.literal(VERSION), preferences: z.record(z.string(), z.unknown()) });

/** What a person chose for the program, in a file of the home; there may be a home for it alone, before any setup. */
export class PreferencesStore {
  readonly #home: Home;
  #current: Preferences | undefined;

  constructor(home: Home) {
    this.#home = home;
  }

  /** The usual ones where none were saved. A file that cannot be read is put aside as `preferences.json.bad`. */
  get(): Preferences {
    this.#current ??= this.#load();
    return this.#current;
  }

  /** @throws HoldfastError `home_unwritable` */
  save(next: Preferences): void {
    prepareHome(this.#home);
    writeFileAtomicallySync(this.#file, `${JSON.stringify({ version: VERSION, preferences: next }, undefined, 2)}\n`);
    this.#current = next;
  }

  get #file(): string {
    return join(this.#home.folder, 'preferences.json');
  }

  #load(): Preferences {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return DEFAULT_PREFERENCES;
      throw new HoldfastError('home_unwritable', { file: this.#file, problem: code }, { cause: error });
    }
    const parsed = parsePreferences(text);
    if (!parsed) this.#putAside();
    return parsed ?? DEFAULT_PREFERENCES;
  }

  /** Backups go on with the usual ones even where the file can neither be read nor moved. */
  #putAside(): void {
    try {
      renameSync(this.#file, `${this.#file}.bad`);
    } catch {
      // The next save replaces it.
    }
  }
}

/** Choices that a later version added have their usual value; nothing where it is no such file. */
function parsePreferences(text: string): Preferences | undefined {
  try {
    const { preferences: known } = fileForm.parse(JSON.parse(text));
    const notifications = { ...DEFAULT_PREFERENCES.notifications, ...(known['notifications'] as object) };
    return preferences.parse({ ...DEFAULT_PREFERENCES, ...known, notifications });
  } catch {
    return undefined;
  }
}
