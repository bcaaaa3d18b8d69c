import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkAddress } from '../../../src/service/operation/check/public-address.ts';
import { parseRange } from '../../../src/service/request/client-address.ts';
import { runServer } from '../service/operation/running-server.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';
import { freePort } from '../../helpers/free-port.ts';

const NGINX = '/usr/sbin/nginx';
const HAS_NGINX = spawnSync(NGINX, ['-v']).status === 0;
const SAMPLE = readFileSync(join(dirname(dirname(dirname(import.meta.dirname))), 'deploy/nginx/holdfast.conf'), 'utf8');

/** A service behind a real nginx with our file, apart from ports, name and certificate. */
async function behindNginx(changed: (sample: string) => string = (sample) => sample) {
  const running = await runServer({ trustedProxies: [parseRange('127.0.0.1')] });
  const folder = await temporaryDirectory();
  const certificate = makeCertificate(folder);
  const port = await freePort();
  const server = changed(SAMPLE)
    .replace(/^server \{\n\tlisten 80;[^}]*\}\n/m, '')
    .replaceAll(/^\tlisten .*\n/gm, '')
    .replace(/^\tserver_name .*$/m, `\tlisten 127.0.0.1:${port} ssl;\n\tserver_name localhost;`)
    .replace(/^\tssl_certificate .*$/m, `\tssl_certificate ${certificate.file};`)
    .replace(/^\tssl_certificate_key .*$/m, `\tssl_certificate_key ${certificate.key};`)
    .replace('http://127.0.0.1:8787', running.server.url);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  const whole = [
    'daemon off; master_process off;',
    `pid ${join(folder, 'pid')};`,
    `error_log ${join(folder, 'error.log')};`,
    'events {}',
    `http {\n${paths.join('\n')}\n${server}\n}`,
  ];
  writeFileSync(file, whole.join('\n'));
  const nginx = spawn(NGINX, ['-p', folder, '-c', file], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGKILL');
    await ended;
  });
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate.text]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  const publicUrl = `https://localhost:${port}`;
  while (!(await fetch(`${publicUrl}/healthz`).catch(() => undefined))) {
    if (nginx.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'));
    await sleep(10);
  }
  const check = () => checkAddress({ host: '127.0.0.1', port: 8787, publicUrl, trustsProxies: true });
  return { ...running, publicUrl, check };
}

function makeCertificate(folder: string) {
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '90'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', file], { stdio: 'ignore' });
  return { key, file, text: readFileSync(file, 'utf8') };
}

describe.skipIf(!HAS_NGINX)('a service behind nginx', () => {
  test('passes its check with our file', async () => {
    const { check, publicUrl, call } = await behindNginx();
    expect((await check()).findings).toMatchObject([
      { check: 'address', status: 'ok' },
      { check: 'tls', status: 'ok' },
      { check: 'proxy', status: 'ok', message: expect.stringMatching(/passes a request of 64 MiB/) },
    ]);
    const manifest = ReadableStream.from([Buffer.from('{"email": "a@example.org", '), Buffer.from('"password": "x"}')]);
    const body = { method: 'POST', body: manifest, duplex: 'half', headers: { 'content-type': 'application/json' } };
    const streamed = await fetch(`${publicUrl}/auth/v1/token?grant_type=password`, body as RequestInit);
    expect(streamed.status).toBe(401);
    expect((await fetch(`${publicUrl}/metrics`)).status).toBe(404);
    expect((await call('GET', '/metrics')).status).toBe(200);
  });

  test('is named by the check if it refuses large requests, as by default', async () => {
    const { check } = await behindNginx((sample) => sample.replace(/^\tclient_max_body_size .*\n/m, ''));
    expect((await check()).findings).toContainEqual({
      check: 'proxy',
      status: 'failed',
      message: expect.stringMatching(/refuses a request of 64 MiB \(413\): .*"client_max_body_size 0"/),
    });
  });

  test('is named by the check if it hides its clients', async () => {
    const { check } = await behindNginx((sample) => sample.replace(/^.*X-Forwarded-For.*\n(?=\t\tproxy)/m, ''));
    expect((await check()).findings).toContainEqual({
      check: 'proxy',
      status: 'warning',
      message: expect.stringMatching(/does not tell who its clients are/),
    });
  });
});
