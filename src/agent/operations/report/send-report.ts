import { createTransport } from 'nodemailer';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../../base/errors/errors.ts';
import { isOwnHost } from '../../../base/loopback.ts';

/** Milliseconds for a connection, a greeting and each answer. */
const PATIENCE = 20_000;

export interface ReportMail {
  /** `smtp://user@host:587` or `smtps://user@host`. */
  readonly server: string;
  readonly password?: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Sends a report by SMTP. `smtps:` is TLS from the start (port 465), `smtp:` changes to TLS by STARTTLS (port 587), without which
 * nothing is sent. Only a server on this computer may be without TLS.
 *
 * @throws HoldfastError `usage`, `mail_failed`
 */
export async function sendReport({ server, password, ...mail }: ReportMail): Promise<void> {
  const url = URL.parse(server);
  const user = url && decoded(url.username);
  if (!url || user === undefined || !isMailServer(url)) {
    throw wrongUsage({
      problem: 'options',
      message: 'The mail server has to be like smtp://user@mail.example.org, without a password.',
    });
  }
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const transport = createTransport({
    host,
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    secure: isTls,
    // A resolver may send names below `localhost` elsewhere, and the password with them.
    requireTLS: !isTls && !isOwnHost(url.hostname),
    ...(url.username === '' ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    // Nothing in the text is read from files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { to, ...content } = mail;
    // As objects: an address with a comma would be several.
    await transport.sendMail({ ...content, to: to.map((address) => ({ name: '', address })) });
  } catch (error) {
    const problem = systemCodeOf(error);
    throw new HoldfastError(
      'mail_failed',
      { server: host, ...(problem === undefined ? {} : { problem }) },
      { cause: error },
    );
  } finally {
    transport.close();
  }
}

function isMailServer({ protocol, hostname, password }: URL): boolean {
  return ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' && password === '';
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
