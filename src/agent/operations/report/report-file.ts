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
  const stored = new ReportFile(home).load();
  if (!stored) throw new HoldfastError('report_not_set_up');
  const { settings } = stored;
  await sendReport({
    ...text,
    server: addressOf(settings),
    password: await keyStore.mailPassword(),
    from: settings.from ?? settings.to[0]!,
    to: settings.to,
  });
  return settings.to;
}

function addressOf({ host, port, security, user }: ReportSettings): string {
  const sender = user === '' ? '' : `${encodeURIComponent(user)}@`;
  return `${security === 'tls' ? 'smtps' : 'smtp'}://${sender}${host}:${port}`;
}
