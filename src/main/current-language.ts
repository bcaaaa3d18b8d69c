import { app } from 'electron';
import type { AppState } from '../ipc/state.ts';
import { languageOf } from '../strings/strings.ts';
import type { Language } from '../strings/strings.ts';

/** The language of the tray, the notifications and the dialogs: what the person chose, else the system's. */
export class Words {
  #language: Language = languageOf('system', app.getPreferredSystemLanguages());
  #choice: string = 'system';

  get language(): Language {
    return this.#language;
  }

  /** @returns whether it is another one than before */
  follow({ preferences }: AppState): boolean {
    if (preferences.language === this.#choice) return false;
    this.#choice = preferences.language;
    this.#language = languageOf(preferences.language, app.getPreferredSystemLanguages());
    return true;
  }
}
