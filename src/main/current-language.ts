import { app } from 'electron';
import type { AppState } from '../ipc/state.ts';
import { languageOf } from '../strings/strings.ts';
import type { Language } from '../strings/strings.ts';
import { systemLanguages } from './system/system-languages.ts';

/** The language of the tray, the notifications and the dialogs: the person's choice, else the system's. */
export class CurrentLanguage {
  #language: Language = languageOf('system', systemLanguages(app));
  #choice: string = 'system';

  get current(): Language {
    return this.#language;
  }

  /** Takes the choice from the preferences; returns true when the language changed. */
  update({ preferences }: AppState): boolean {
    if (preferences.language === this.#choice) return false;
    this.#choice = preferences.language;
    this.#language = languageOf(preferences.language, systemLanguages(app));
    return true;
  }
}
