import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../base/files/json-file.ts';
import type { Language } from '../../strings/strings.ts';
import type { AppPaths } from '../app-paths.ts';
import { isTrayAvailable } from '../tray/tray-support.ts';

const shown = z.object({ version: z.literal(1), stillRunning: z.boolean() });

/** Notifies the person, the first time the window is closed, that the program keeps running in the background. */
export class BackgroundNotice {
  readonly #file: JsonFile<typeof shown>;

  constructor({ windowFolder }: AppPaths) {
    this.#file = new JsonFile(join(windowFolder, 'shown-notices.json'), shown);
  }

  async showOnce(
    { strings }: Language,
    notify: (message: { readonly title: string; readonly body: string }) => void,
  ): Promise<void> {
    if (this.#file.readSync(() => this.#file.setAsideSync())?.stillRunning) return;
    const { title, tray, noTray } = strings.shell.notices.stillRunning;
    notify({ title, body: (await isTrayAvailable()) ? tray : noTray });
    this.#file.writeSync({ version: 1, stillRunning: true });
  }
}
