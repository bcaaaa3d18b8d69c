import { failureFacts } from '../operation/failure-facts.ts';
import type { ServiceContext } from '../context.ts';
import type { MailContent } from './mail-texts.ts';
import type { ServiceMail } from './service-mail.ts';

/** Sends a message to the owners and admins of an account, if the service sends mail. It never fails what it reports. */
export async function alertManagers(
  { mail, metadata, log }: Pick<ServiceContext, 'mail' | 'metadata' | 'log'>,
  accountId: string,
  content: (mail: ServiceMail) => MailContent,
): Promise<void> {
  if (!mail) return;
  try {
    const members = await metadata.members.list(accountId);
    const managers = members.filter(({ role }) => role === 'owner' || role === 'admin');
    for (const { email } of managers) mail.queue(email, content(mail));
  } catch (error) {
    log.error({ failure: failureFacts(error) }, 'an alert was not sent');
  }
}
