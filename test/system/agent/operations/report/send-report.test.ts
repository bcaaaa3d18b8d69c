import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendReport } from '../../../../../src/agent/operations/report/send-report.ts';
import type { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import { startMailServer } from '../../../../helpers/service/mail-server.ts';

const MAIL = { from: 'anna@example.org', to: ['anna@example.org'], subject: 'x', text: 'x', html: '<p>x</p>' };

/** Puts TLS with a certificate that signs itself in front of a mail server. Returns the port. */
async function startTls(port: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mail-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, '-subj', '/CN=mail', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    const inner = connect(port, '127.0.0.1');
    for (const end of [socket, inner]) end.on('error', () => undefined);
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return (server.address() as AddressInfo).port;
}

test('a certificate that signs itself is enough on this computer, and nowhere else', async () => {
  const mails = await startMailServer();
  const port = await startTls(Number(new URL(mails.url).port));
  await sendReport({}, { ...MAIL, server: `smtps://127.0.0.1:${port}` });
  expect(mails.received).toHaveLength(1);
  // The same server, by an address of which nobody knows whose it is.
  const other = sendReport({}, { ...MAIL, server: `smtps://[::ffff:127.0.0.1]:${port}` });
  await expect(other).rejects.toMatchObject({
    code: 'mail_failed',
    details: { problem: 'certificate', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  expect(mails.received).toHaveLength(1);
});

describe('a failure says', () => {
  /** Each with what to change so that the server, which has no TLS, fails in that way. */
  const FAILURES = {
    'that the sign-in was refused': {
      address: (port) => `smtp://anna@127.0.0.1:${port}`,
      details: { problem: 'sign-in' },
    },
    'that all recipients were refused': {
      address: (port) => `smtp://127.0.0.1:${port}`,
      to: 'nobody@example.org',
      details: { problem: 'all-refused', detail: '550 no such user' },
    },
    'what a server says that is busy': {
      address: (port) => `smtp://127.0.0.1:${port}`,
      isBusy: true,
      details: { detail: '451 busy' },
    },
    'that STARTTLS is not there': {
      address: (port) => `smtp://[::ffff:127.0.0.1]:${port}`,
      details: { problem: 'no-tls' },
    },
    'that the port is not for TLS': {
      address: (port) => `smtps://127.0.0.1:${port}`,
      details: { problem: 'no-tls' },
    },
    'that nobody listens': {
      address: () => 'smtp://127.0.0.1:9',
      details: { problem: 'unreachable', detail: 'ECONNREFUSED' },
    },
  } satisfies Record<string, Failing>;

  interface Failing {
    readonly address: (port: string) => string;
    readonly to?: string;
    readonly isBusy?: boolean;
    readonly details: object;
  }

  test.for(Object.entries<Failing>(FAILURES))(
    '%s',
    async ([, { address, to = MAIL.to[0]!, isBusy = false, details }]) => {
      const mails = await startMailServer();
      mails.isBusy = isBusy;
      const sent = sendReport({}, { ...MAIL, to: [to], password: 'wrong', server: address(new URL(mails.url).port) });
      const failure = await sent.catch((error: unknown) => error as HoldfastError<'mail_failed'>);
      expect(failure).toMatchObject({ code: 'mail_failed', details });
      expect('problem' in failure!.details).toBe('problem' in details);
    },
  );
});
