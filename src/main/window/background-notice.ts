import { join } from 'node:path';
import { z } from 'zod';
import type { Language } from '../../strings/strings.ts';
import type { Places } from '../app-paths.ts';
import { readJsonFile, writeJsonFile } from '../system/json-file.ts';
import { hasTray } from '../tray/tray-support.ts';

const told = z.object({ version: z.literal(1), stillRunning: z.boolean() });

/** Says, the first time that somebody closes the window, that the program goes on without it. */
export class FarewellNotice {
  readonly #file: string;

  constructor({ windowFolder }: Places) {
    this.#file = join(windowFolder, 'told.json');
  }

  async say(
    { strings }: Language,
    notify: (message: { readonly title: string; readonly body: string }) => void,
  ): Promise<void> {
    if (readJsonFile(this.#file, told)?.stillRunning) return;
    const { title, tray, noTray } = strings.shell.notices.stillRunning;
    notify({ title, body: (await hasTray()) ? tray : noTray });
    writeJsonFile(this.#file, { version: 1, stillRunning: true } satisfies z.infer<typeof told>);
  }
}
