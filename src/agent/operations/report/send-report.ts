import { createTransport } from 'nodemailer';
import type { ErrorDetails } from '../../../base/errors/error-codes.ts';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../../base/errors/errors.ts';
import { OWN_HOST } from '../../../base/loopback.ts';
import { mailAddress } from '../../../ipc/contract/report.ts';

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
export async function sendReport(_parts: object, { server, password, ...mail }: ReportMail): Promise<void> {
  const url = URL.parse(server);
  const user = url && decoded(url.username);
  if (!url || user === undefined || !isMailServer(url)) {
    throw wrongUsage({
      problem: 'options',
      message: 'The mail server has to be like smtp://user@mail.example.org, without a password.',
    });
  }
  for (const address of [mail.from, ...mail.to]) requireAddress(address);
  const isOwn = OWN_HOST.test(url.hostname);
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
    throw new HoldfastError('mail_failed', { server: host, ...causeOf(error) }, { cause: error });
  } finally {
    transport.close();
  }
  if (refused.length > 0) {
    throw new HoldfastError('mail_failed', { server: host, problem: 'refused', addresses: refused.join(', ') });
  }
}

/** The library would send to a part of an address, or without a sender. @throws HoldfastError `usage` */
function requireAddress(address: string): void {
  if (mailAddress.safeParse(address).success) return;
  throw wrongUsage({
    problem: 'options',
    message: `${JSON.stringify(address)} is not an e-mail address. It has to be like anna@example.org.`,
  });
}

/** Returns the addresses of which the library says that the server has refused them, beside others that it took. */
function refusedOf(sent: unknown): readonly string[] {
  const { rejected = [] } = sent as { readonly rejected?: readonly (string | { readonly address: string })[] };
  return rejected.map((one) => (typeof one === 'string' ? one : one.address));
}

const UNREACHABLE: ReadonlySet<string> = new Set(
  'ECONNECTION ECONNREFUSED ECONNRESET EDNS EAI_AGAIN EHOSTDOWN EHOSTUNREACH ENETUNREACH ENOTFOUND ETIMEDOUT'.split(
    ' ',
  ),
);
/** Of OpenSSL, and those of Node for the name and the time of a certificate. */
const CERTIFICATE = /CERT|SIGNATURE|ISSUER|CRL/;
/** From here on answers of a mail server are final. */
const PERMANENT = 500;

/** Returns why nothing was sent, and what the server or the system says about it. */
function causeOf(error: unknown): Pick<ErrorDetails['mail_failed'], 'problem' | 'detail'> {
  if (!(error instanceof Error)) return {};
  // The library replaces the code of the system by ESOCKET, and keeps it beside.
  const {
    originalCode,
    response,
    responseCode = 0,
  } = error as Error & {
    readonly originalCode?: string;
    readonly response?: string | false;
    readonly responseCode?: number;
  };
  const code = originalCode ?? systemCodeOf(error) ?? '';
  const detail = response ? response.split('\n')[0]!.trim().replace(/\.$/, '') : code;
  const problem = problemOf(code, responseCode);
  return { ...(problem === undefined ? {} : { problem }), ...(detail === '' ? {} : { detail }) };
}

function problemOf(code: string, responseCode: number): ErrorDetails['mail_failed']['problem'] {
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'sign-in';
  if (code === 'EENVELOPE' && responseCode >= PERMANENT) return 'all-refused';
  if (CERTIFICATE.test(code)) return 'certificate';
  // The second: an answer without TLS at the beginning of a connection with TLS.
  if (code === 'ETLS' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'no-tls';
  return UNREACHABLE.has(code) ? 'unreachable' : undefined;
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
