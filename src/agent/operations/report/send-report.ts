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
 * @throws HoldfastError `usage`; `mail_failed`, with the problem `refused` if some of the recipients get it
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
  const isOwn = isOwnHost(url.hostname);
  const isTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const transport = createTransport({
    host,
    port: url.port === '' ? (isTls ? 465 : 587) : Number(url.port),
    secure: isTls,
    // A resolver may send names below `localhost` elsewhere, and the password with them.
    requireTLS: !isTls && !isOwn,
    // The server of this computer needs no TLS, so its certificate needs no authority: distributions install one that signs itself.
    tls: { rejectUnauthorized: !isOwn },
    ...(url.username === '' ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    // Nothing in the text is read from files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let refused: readonly string[];
  try {
    const { to, ...content } = mail;
    // As objects: an address with a comma would be several.
    const sent: unknown = await transport.sendMail({
      ...content,
      to: to.map((address) => ({ name: '', address })),
    });
    refused = refusedOf(sent);
  } catch (error) {
    const problem = problemOf(error);
    throw new HoldfastError(
      'mail_failed',
      { server: host, ...(problem === undefined ? {} : { problem }) },
      { cause: error },
    );
  } finally {
    transport.close();
  }
  if (refused.length > 0) {
    throw new HoldfastError('mail_failed', { server: host, problem: 'refused', addresses: refused.join(', ') });
  }
}

/** Returns the addresses of which the library says that the server has refused them, beside others that it took. */
function refusedOf(sent: unknown): readonly string[] {
  const { rejected = [] } = sent as { readonly rejected?: readonly (string | { readonly address: string })[] };
  return rejected.map((one) => (typeof one === 'string' ? one : one.address));
}

/** The library replaces the code of the system, such as that of a certificate, by ESOCKET, and keeps it beside. */
function problemOf(error: unknown): string | undefined {
  const original =
    error instanceof Error ? (error as Error & { readonly originalCode?: unknown }).originalCode : undefined;
  return typeof original === 'string' ? original : systemCodeOf(error);
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
