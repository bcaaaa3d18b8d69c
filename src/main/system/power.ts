import { powerMonitor, powerSaveBlocker } from 'electron';
import type { AppState } from '../../ipc/state.ts';

/** Reports when the computer wakes up, and when it switches between battery and mains. */
export function watchPower(report: (what: 'resumed' | 'power') => void): void {
  powerMonitor.on('resume', () => report('resumed'));
  powerMonitor.on('on-ac', () => report('power'));
  powerMonitor.on('on-battery', () => report('power'));
}

/** Keeps the computer awake during a run, if the person chose that; the screen may still turn off. */
export class SleepBlocker {
  #blocker: number | undefined;

  update({ runs, preferences }: AppState): void {
    const isWanted = runs.length > 0 && preferences.keepAwake;
    if (isWanted && this.#blocker === undefined) {
      this.#blocker = powerSaveBlocker.start('prevent-app-suspension');
    } else if (!isWanted && this.#blocker !== undefined) {
      powerSaveBlocker.stop(this.#blocker);
      this.#blocker = undefined;
    }
  }
}
