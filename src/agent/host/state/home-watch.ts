import { statSync } from 'node:fs';
import type { Home } from '../../home/home.ts';
import type { Timers } from '../../schedule/ports.ts';

/** Whatever others do to the home is seen so soon: other programs of it, and disks that come and go. */
const IDLE_MS = 5000;
/** While something goes on, its speed has to fall when nothing moves. */
const BUSY_MS = 1000;

export interface HomeWatchParts {
  readonly home: Home;
  readonly timers: Timers;
  /** Whether this process is at work on the home. */
  readonly isAtWork: () => boolean;
  /** Marks runs as interrupted whose process was killed. */
  readonly settle: () => void;
  readonly settingsChanged: () => void;
  /** After every look. */
  readonly looked: () => void;
}

/** Looks at the home every few seconds: the command line changes it too, and tells nobody. */
export class HomeWatch {
  readonly #parts: HomeWatchParts;
  #settings: string | undefined;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: HomeWatchParts) {
    this.#parts = parts;
  }

  /** Looks now, and from then on again and again. */
  look(): void {
    const { home, timers, isAtWork, settle, settingsChanged, looked } = this.#parts;
    if (this.#isClosed) return;
    this.#cancel?.();
    const isBusy = isAtWork();
    this.#cancel = timers.after(isBusy ? BUSY_MS : IDLE_MS, () => this.look());
    if (!isBusy) settle();
    const settings = versionOf(home.settingsFile);
    if (settings !== this.#settings) {
      this.#settings = settings;
      settingsChanged();
    }
    looked();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }
}

/** A file that is replaced as a whole is another one each time. */
function versionOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.mtimeMs}` : '';
}
