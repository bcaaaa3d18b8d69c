import type { SmtpConfig } from '../../mail/smtp.ts';
import { failed, inTime, ok, reasonOf, type Finding } from './finding.ts';

const PATIENCE = 30_000;

/** Connects to the mail server and signs in, without sending anything. */
export async function checkMail(config: SmtpConfig | undefined): Promise<readonly Finding[]> {
  if (config === undefined) return [];
  const { createSmtpTransport } = await import('../../mail/smtp.ts');
  const transport = createSmtpTransport(config);
  const { host } = new URL(config.server);
  try {
    await inTime(transport.verify(), PATIENCE);
    return [ok('mail', `The mail server ${host} accepts mail.`)];
  } catch (error) {
    return [failed('mail', `The mail server ${host} cannot be used (${reasonOf(error)}): see mailServer.`)];
  } finally {
    transport.close();
  }
}
