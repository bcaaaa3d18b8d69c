import { join } from 'node:path';
import { z } from 'zod';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { JsonFile, type JsonFileDamage } from '../../base/files/json-file.ts';
import type { Handlers } from '../../base/calls/contract.ts';
import {
  DEFAULT_PREFERENCES,
  preferences,
  type preferenceMethods,
  type Preferences,
} from '../../ipc/contract/preferences.ts';
import type { HandlerContext } from './handler-context.ts';
import { prepareHome, type Home } from '../home/home.ts';

/** Fills in the defaults of choices that a later version added. */
const withDefaults = z
  .looseObject({ notifications: z.looseObject({}).optional() })
  .transform(({ notifications, ...known }) => ({
    ...DEFAULT_PREFERENCES,
    ...known,
    notifications: { ...DEFAULT_PREFERENCES.notifications, ...notifications },
  }))
  .pipe(preferences);
const fileForm = z.object({ version: z.literal(1), preferences: withDefaults });

/** Stores the preferences of the app in the home, which is created for them if needed, even before setup. */
export class PreferencesStore {
  readonly #home: Home;
  readonly #file: JsonFile<typeof fileForm>;
  #current: Preferences | undefined;

  constructor(home: Home) {
    this.#home = home;
    this.#file = new JsonFile(join(home.folder, 'preferences.json'), fileForm);
  }

  /** Returns the defaults if none were saved. A damaged file is renamed to `preferences.json.bad`. */
  get(): Preferences {
    this.#current ??= this.#file.readSync((damage) => this.#onDamage(damage))?.preferences ?? DEFAULT_PREFERENCES;
    return this.#current;
  }

  /** @throws HoldfastError `home_unwritable` */
  save(next: Preferences): void {
    prepareHome(this.#home);
    this.#file.writeSync({ version: 1, preferences: next });
    this.#current = next;
  }

  /** Backups continue with the defaults even when the file can neither be read nor moved. */
  #onDamage(damage: JsonFileDamage): undefined {
    if (damage.kind === 'corrupt') return this.#file.setAsideSync();
    const problem = systemCodeOf(damage.error);
    if (problem === 'ENOTDIR') return undefined;
    throw new HoldfastError('home_unwritable', { file: this.#file.path, problem }, { cause: damage.error });
  }
}

/** Handles the call that saves the preferences. */
export function preferenceHandlers(
  { changed }: HandlerContext,
  store: PreferencesStore,
): Handlers<typeof preferenceMethods> {
  return {
    'preferences.save': ({ preferences: next }) => {
      store.save(next);
      changed();
      return {};
    },
  };
}
