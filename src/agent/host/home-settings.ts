import type { Home } from '../home/home.ts';
import { loadSettings, loadStoredSettings, requireSettings, type Settings } from '../home/settings.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';

/** The settings of the home, read anew each time: the command line changes them too. */
export class HomeSettings {
  readonly #home: Home;

  constructor(home: Home) {
    this.#home = home;
  }

  /** Returns `undefined` before setup. @throws HoldfastError `home_damaged` */
  load(): Settings | undefined {
    return loadSettings(this.#home);
  }

  /** @throws HoldfastError `not_set_up`, `home_damaged` */
  require(): Settings {
    return requireSettings(this.#home);
  }

  /** Returns `undefined` also for damaged settings, for callers other than the app state, which reports the damage. */
  loadIfIntact(): Settings | undefined {
    try {
      return this.load();
    } catch {
      return undefined;
    }
  }

  /** All destinations, in order of preference. Empty before setup, and for damaged settings. */
  get entries(): readonly DestinationEntry[] {
    try {
      return loadStoredSettings(this.#home)?.destinations ?? [];
    } catch {
      return [];
    }
  }
}
