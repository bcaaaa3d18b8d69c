import { join } from 'node:path';
import { z } from 'zod';
import { failure } from '../../../base/calls/answer.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { JsonFile } from '../../../base/files/json-file.ts';
import { reportSettings, type ReportSettings } from '../../../ipc/contract/report.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { Home } from '../../home/home.ts';
import { sendReport } from './send-report.ts';

const time = z.number();
const fileForm = z.object({
  version: z.literal(1),
  settings: reportSettings,
  /** Since when the settings apply: what was due before is not sent. */
  since: time,
  sentAt: time.optional(),
  /** The last attempt, if it failed. */
  failed: z.object({ at: time, failure }).optional(),
});

/** A report by mail, as it is set up, and what became of the last ones. */
export type StoredReport = Readonly<Omit<z.infer<typeof fileForm>, 'version'>>;

/** Stores the settings of the weekly report. A damaged file counts as none: the person sees that it is not set up. */
export class ReportFile {
  readonly #file: JsonFile<typeof fileForm>;

  constructor(home: Pick<Home, 'folder'>) {
    this.#file = new JsonFile(join(home.folder, 'weekly-report.json'), fileForm);
  }

  load(): StoredReport | undefined {
    return this.#file.readSync(() => undefined);
  }

  /** @throws HoldfastError `home_unwritable` */
  save(stored: StoredReport): void {
    this.#file.writeSync({ version: 1, ...stored });
  }

  remove(): void {
    this.#file.removeSync();
  }
}

export interface ReportText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Sends a text with the stored settings and password. Returns the recipients.
 *
 * @throws HoldfastError `report_not_set_up`, `mail_failed`, `keychain_unavailable`
 */
export async function sendStoredReport(
  { home, keyStore }: Pick<AgentParts, 'home' | 'keyStore'>,
  text: ReportText,
): Promise<readonly string[]> {
  const { settings, password } = await settingsWithPassword(home, keyStore);
  await sendReport(
    {},
    {
      ...text,
      server: mailServerOf(settings),
      password,
      from: settings.from ?? settings.to[0]!,
      to: settings.to,
    },
  );
  return settings.to;
}

/** The settings may change between the two: then the password of the server before may be gone. */
async function settingsWithPassword(
  home: AgentParts['home'],
  keyStore: AgentParts['keyStore'],
): Promise<{ readonly settings: ReportSettings; readonly password: string | undefined }> {
  const file = new ReportFile(home);
  for (let server: string | undefined; ;) {
    const stored = file.load();
    if (!stored) throw new HoldfastError('report_not_set_up');
    const { settings } = stored;
    const password = await keyStore.mailPassword(mailServerOf(settings));
    if (password !== undefined || server === mailServerOf(settings)) return { settings, password };
    server = mailServerOf(settings);
  }
}

/** The address of the mail server with its user, without a password. */
export function mailServerOf({ host, port, security, user }: ReportSettings): string {
  const sender = user === '' ? '' : `${encodeURIComponent(user)}@`;
  return `${security === 'tls' ? 'smtps' : 'smtp'}://${sender}${host}:${port}`;
}
