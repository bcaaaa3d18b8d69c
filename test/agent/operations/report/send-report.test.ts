import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { sendReport } from '../../../../src/agent/operations/report/send-report.ts';
import { startMailServer } from '../../../helpers/service/mail-server.ts';

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
  await sendReport({ ...MAIL, server: `smtps://127.0.0.1:${port}` });
  expect(mails.received).toHaveLength(1);
  // The same server, by an address of which nobody knows whose it is.
  const other = sendReport({ ...MAIL, server: `smtps://[::ffff:127.0.0.1]:${port}` });
  await expect(other).rejects.toMatchObject({
    code: 'mail_failed',
    details: { problem: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  expect(mails.received).toHaveLength(1);
});
