import { failureFacts } from '../failure-facts.ts';
import type { ServiceContext } from '../context.ts';
import { takePlace } from '../request/places.ts';
import type { MailContent } from './mail-texts.ts';
import type { MailKind, ServiceMail } from './service-mail.ts';
import { HOUR } from '../../model/units.ts';

/** Alerts of each kind that an account sends in an hour. Each kind is counted by itself, so that none suppresses another. */
const MOST_AN_HOUR = { alarm: 10, offline: 10, erasure: 20 } as const satisfies Readonly<
  Partial<Record<MailKind, number>>
>;

export type AlertKind = keyof typeof MOST_AN_HOUR;

/**
 * Sends a message to the owners and admins of an account, if the service sends mail. The last one of an hour says so. It never fails
 * what it reports.
 */
export async function alertManagers(
  context: Pick<ServiceContext, 'mail' | 'metadata' | 'clock' | 'log'>,
  accountId: string,
  kind: AlertKind,
  content: (mail: ServiceMail) => MailContent,
): Promise<void> {
  const { mail, metadata, log } = context;
  if (!mail) return;
  try {
    const place = await takePlace(context, `mail:${kind}:${accountId}`, { most: MOST_AN_HOUR[kind], period: HOUR });
    if (place === undefined) return;
    const { subject, text } = content(mail);
    const complete = { subject, text: place === MOST_AN_HOUR[kind] ? `${text}\n${mail.texts.lastOfHour}\n` : text };
    const members = await metadata.members.list(accountId);
    const managers = members.filter(({ role }) => role === 'owner' || role === 'admin');
    for (const { email } of managers) mail.queue(kind, email, complete);
  } catch (error) {
    log.error({ failure: failureFacts(error) }, 'an alert was not sent');
  }
}
