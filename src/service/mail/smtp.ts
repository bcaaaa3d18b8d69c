import { createTransport } from 'nodemailer';
import type { Mail, MailTransport } from './mail.ts';

/** Milliseconds for a connection, a greeting and each answer. */
const PATIENCE = 20_000;

export interface SmtpConfig {
  /** `smtp://` or `smtps://`, with user and password if the server demands them. */
  readonly server: string;
  /** Sender: an address, or `Name <address>`. */
  readonly from: string;
}

/**
 * Sends by SMTP. `smtps:` is TLS from the start (port 465), `smtp:` changes to TLS by STARTTLS (port 587), without which nothing is
 * sent. Only a server on this computer may be without TLS.
 */
export function createSmtpTransport({ server, from }: SmtpConfig): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(server);
  const isTls = protocol === 'smtps:';
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    secure: isTls,
    requireTLS: !isTls && !isLocal,
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    // The text is ours; nothing in it is read from files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const composer = createTransport({ streamTransport: true, buffer: true });
  // As an object: an address with a comma would be several.
  const message = ({ to, subject, text }: Mail) => ({ from, to: { name: '', address: to }, subject, text });
  return {
    send: async (mail) => void (await transport.sendMail(message(mail))),
    verify: async () => void (await transport.verify()),
    pretend: async (mail) => {
      await composer.sendMail(message(mail));
      await transport.verify();
    },
    close: () => transport.close(),
  };
}
