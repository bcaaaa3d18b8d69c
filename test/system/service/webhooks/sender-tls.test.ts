import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../../../src/service/webhooks/outbox.ts';
import { createSender } from '../../../../src/service/webhooks/sender.ts';
import { deliveryTo } from './delivery.ts';

const directory = mkdtempSync(join(tmpdir(), 'holdfast-webhooks-'));
const trustedBefore = getCACertificates('default');
const server = createServer((_request, response) => {
  response.end();
});
let certificate = '';

beforeAll(async () => {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const names = ['-subj', '/CN=receiver.example', '-addext', 'subjectAltName=DNS:receiver.example'];
  const files = ['-keyout', key, '-out', cert];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...names, ...files], { stdio: 'ignore' });
  certificate = readFileSync(cert, 'utf8');
  server.setSecureContext({ key: readFileSync(key), cert: certificate });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => {
  setDefaultCACertificates(trustedBefore);
  server.close();
  rmSync(directory, { recursive: true });
});

const send = createSender({ allowPrivate: true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] });

function delivery(host: string): Delivery {
  return deliveryTo(`https://${host}:${(server.address() as AddressInfo).port}/`);
}

test('delivers over TLS only to the named receiver, and only if its certificate is trusted', async () => {
  const tries = async (): Promise<unknown[]> => {
    const hosts = ['receiver.example', 'other.example', '127.0.0.1'];
    return Promise.all(hosts.map(async (host) => (await send(delivery(host), AbortSignal.timeout(20_000))).outcome));
  };
  const refused = (reason: string): object => ({ kind: 'failed', reason });
  expect(await tries()).toEqual(Array.from({ length: 3 }, () => refused('DEPTH_ZERO_SELF_SIGNED_CERT')));

  setDefaultCACertificates([...trustedBefore, certificate]);
  expect(await tries()).toEqual([
    { kind: 'answered', status: 200, answer: '' },
    refused('ERR_TLS_CERT_ALTNAME_INVALID'),
    refused('ERR_TLS_CERT_ALTNAME_INVALID'),
  ]);
});
