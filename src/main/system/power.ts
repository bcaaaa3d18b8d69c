import { powerMonitor, powerSaveBlocker } from 'electron';
import type { AppState } from '../../ipc/state.ts';

/** Tells what is due that something has changed: the computer woke up, or was put on another power. */
export function watchPower(tell: (what: 'resumed' | 'power') => void): void {
  powerMonitor.on('resume', () => tell('resumed'));
  powerMonitor.on('on-ac', () => tell('power'));
  powerMonitor.on('on-battery', () => tell('power'));
}

/** Keeps the computer from going to sleep by itself while a run goes on, where the person wants that. The screen may. */
export class Wakefulness {
  #blocker: number | undefined;

  follow({ runs, preferences }: AppState): void {
    const isWanted = runs.length > 0 && preferences.keepAwake;
    if (isWanted && this.#blocker === undefined) {
      this.#blocker = powerSaveBlocker.start('prevent-app-suspension');
    } else if (!isWanted && this.#blocker !== undefined) {
      powerSaveBlocker.stop(this.#blocker);
      this.#blocker = undefined;
    }
  }
}
