import Database from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { masterKeyOf } from '../../../src/format/crypto/recovery-phrase.ts';
import { Canaries } from '../../helpers/canaries.ts';
import { InProcessService } from '../../helpers/service/in-process-service.ts';
import { HAS_S3, newBucket } from '../../helpers/s3/s3-server.ts';
import { HAS_SSHD, SftpServer } from '../../helpers/sftp/sftp-server.ts';
import { CREDENTIALS, HAS_APACHE, startApache } from '../../helpers/webdav/apache.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { describeEnd, Workplace, type Ended } from './workplace.ts';
import { IS_THOROUGH } from '../../helpers/thorough.ts';

/** Where secrets are kept, and the files that this test hands them over in. */
const ALLOWED = /(?:^|\/)secrets\.json(?:\.\d+\.new)?$|^given-/;
const PASSPHRASE = 'seven canaries sing in the mine 4711';

let workplace: Workplace;
let canaries: Canaries;
beforeEach(() => {
  workplace = new Workplace({ isReal: true });
  canaries = new Canaries();
  mkdirSync(workplace.path('tmp'));
  workplace.environment['TMPDIR'] = workplace.path('tmp');
  mkdirSync(workplace.path('source'));
  for (let file = 0; file < 20; file += 1) writeFileSync(workplace.path('source', `${file}`), `content ${file}`);
});
afterEach(() => workplace[Symbol.dispose]());

/** Runs a command, and searches for secrets while it runs, in what it prints and in what it leaves. */
async function searched(words: readonly string[], expected = 0): Promise<void> {
  const { child, ended } = workplace.start(words);
  const found: string[] = [];
  let result: Ended | undefined;
  for (; !result; result = await Promise.race([ended, sleep(20, undefined)])) {
    found.push(...canaries.ofProcesses(child.pid!), ...canaries.below(workplace.folder, ALLOWED));
  }
  requireStatus(result, expected);
  found.push(...canaries.in(result.stdout + result.stderr).map((secret) => `output: ${secret}`));
  found.push(...canaries.below(workplace.folder, ALLOWED));
  expect({ words, found }).toEqual({ words, found: [] });
}

/** Searches at a store whose sign-in is secret, also while a command fails there. */
async function searchedAtStore(): Promise<void> {
  await workplace.json(['set', 'add', 'documents', workplace.path('source')]);
  await searched(['backup', 'documents']);
  workplace.environment['HOLDFAST_DEBUG'] = '1';
  await searched(['restore', 'documents', '--to', workplace.path('target')]);
}

function requireStatus(ended: Ended, status = 0): void {
  if (ended.status !== status) throw new Error(describeEnd(ended));
}

function plantPhrase(phrase: string): void {
  const words = phrase.split(' ');
  canaries.add('phrase', phrase);
  canaries.add('part of the phrase', words.slice(3, 8).join(' '));
  canaries.add('phrase as JSON', JSON.stringify(words).slice(1, -1));
  canaries.add('master key', masterKeyOf(phrase));
}

describe('secrets stay where they belong', () => {
  test('in every command at a folder', async () => {
    canaries.add('passphrase', PASSPHRASE);
    const passphrase = workplace.write('given-passphrase', PASSPHRASE);
    const made = await workplace.run(
      'setup',
      '--destination',
      workplace.destination,
      '--passphrase-file',
      passphrase,
      '--print-json',
    );
    requireStatus(made);
    const { recovery_phrase: phrase } = JSON.parse(made.stdout) as { readonly recovery_phrase: string };
    plantPhrase(phrase);
    // The key of the set-up itself, too, has left nothing behind.
    expect(canaries.below(workplace.folder, ALLOWED)).toEqual([]);
    await searched(['set', 'add', 'documents', workplace.path('source')]);
    await searched(['backup', 'documents']);
    await searched(['status']);
    await searched(['check', '--read-data']);
    await searched(['repair']);
    await searched(['verify', 'documents']);
    await searched(['restore', 'documents', '--to', workplace.path('target')]);
    await searched(['backup', 'unknown'], 2);
    workplace.environment['HOLDFAST_DEBUG'] = '1';
    await searched(['backup', 'documents']);
    // A bug, with its stack.
    writeFileSync(`${workplace.home}/schedules.json`, '\0');
    await searched(['status', '--json']);
    const { child, ended } = workplace.start(['backup', 'documents']);
    child.kill('SIGABRT');
    await ended;
    expect(canaries.below(workplace.folder, ALLOWED)).toEqual([]);
    // What is searched for can be found.
    expect(canaries.in((await workplace.run('key', 'export', '--json')).stdout)).toContain('phrase');
    expect(canaries.below(workplace.folder, /^given-/)).toContain('home/secrets.json: master key');
  });

  test.skipIf(!HAS_S3 || !IS_THOROUGH)(
    'of a bucket, in every command there (scripts/install-test-tools.sh)',
    async () => {
      const { bucket, endpoint, credentials } = await newBucket();
      canaries.add('secret key of the bucket', credentials.secretAccessKey);
      workplace.environment['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId;
      workplace.environment['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
      const words = ['setup', '--destination', `s3://${bucket}/laptop`, '--endpoint', endpoint!, '--print-json'];
      const made = await workplace.run(...words);
      requireStatus(made);
      // They are among the secrets of the home now.
      delete workplace.environment['AWS_ACCESS_KEY_ID'];
      delete workplace.environment['AWS_SECRET_ACCESS_KEY'];
      plantPhrase((JSON.parse(made.stdout) as { readonly recovery_phrase: string }).recovery_phrase);
      await searchedAtStore();
      expect(canaries.below(workplace.folder, /^given-/)).toContain('home/secrets.json: secret key of the bucket');
    },
  );

  test.skipIf(!HAS_APACHE || !IS_THOROUGH)(
    'of a WebDAV server, in every command there (scripts/install-test-tools.sh)',
    async () => {
      // The server may run as another user.
      chmodSync(workplace.folder, 0o755);
      mkdirSync(workplace.path('served'));
      const { url, stop } = await startApache(workplace.path('served'));
      onTestFinished(stop);
      canaries.add('password of the server', CREDENTIALS.password);
      const password = workplace.write('given-password', CREDENTIALS.password);
      const where = ['--destination', `${url.replace('http:', 'dav:')}backups`, '--user', CREDENTIALS.user];
      const made = await workplace.run('setup', ...where, '--password-file', password, '--print-json');
      requireStatus(made);
      plantPhrase((JSON.parse(made.stdout) as { readonly recovery_phrase: string }).recovery_phrase);
      await searchedAtStore();
      expect(canaries.below(workplace.folder, /^given-/)).toContain('home/secrets.json: password of the server');
    },
  );

  test.skipIf(!HAS_SSHD)('of an SSH key, in every command there (scripts/install-test-tools.sh)', async () => {
    const server = await SftpServer.start();
    onTestFinished(() => server.close());
    const keyFile = workplace.path('given-key');
    writeFileSync(keyFile, readFileSync(server.keyFile), { mode: 0o600 });
    const changed = ['-q', '-p', '-P', '', '-N', PASSPHRASE, '-f', keyFile];
    execFileSync('ssh-keygen', changed);
    canaries.add('passphrase of the key', PASSPHRASE);
    const passphrase = workplace.write('given-passphrase', PASSPHRASE);
    const address = `sftp://${userInfo().username}@127.0.0.1:${server.port}${workplace.path('backups')}`;
    const where = ['--destination', address, '--identity', keyFile, '--password-file', passphrase];
    const made = await workplace.run('setup', ...where, '--host-key', server.fingerprint, '--print-json');
    requireStatus(made);
    plantPhrase((JSON.parse(made.stdout) as { readonly recovery_phrase: string }).recovery_phrase);
    await searchedAtStore();
    expect(canaries.below(workplace.folder, /^given-/)).toContain('home/secrets.json: passphrase of the key');
  });

  // Core files and signals are those of POSIX.
  test.skipIf(process.platform === 'win32')('in what a crash leaves behind', async () => {
    const made = await workplace.run('setup', '--destination', workplace.destination, '--print-json');
    requireStatus(made);
    plantPhrase((JSON.parse(made.stdout) as { readonly recovery_phrase: string }).recovery_phrase);
    await searched(['set', 'add', 'documents', workplace.path('source')]);
    const reports = workplace.path('reports');
    mkdirSync(reports);
    const flags = ['--report-on-fatalerror', '--report-uncaught-exception', '--report-on-signal'];
    workplace.environment['NODE_OPTIONS'] = [...flags, `--report-directory=${reports}`].join(' ');
    // Whatever the shell permits.
    const unlimited = ['sh', '-c', 'ulimit -c unlimited; exec "$@"', 'sh'];
    const { child, ended } = workplace.start(['backup', 'documents', '--watch'], undefined, unlimited);
    while (readdirSync(workplace.home).every((name) => !name.startsWith('catalog'))) await sleep(20);
    child.kill('SIGUSR2');
    while (readdirSync(reports).length === 0) await sleep(20);
    child.kill('SIGABRT');
    expect((await ended).signal).toBe('SIGABRT');
    expect(canaries.below(workplace.folder, ALLOWED)).toEqual([]);
    expect(readdirSync(workplace.folder).filter((name) => name.startsWith('core'))).toEqual([]);
  });

  test.skipIf(!CAN_SIGN_IN)('of the people of a service, in its log and beside its database', async () => {
    const data = workplace.path('data');
    await InProcessService.open(data, { create: true }).then((service) => service.close());
    const account = await createAccount(workplace, data, 'anna@example.org');
    canaries.add('TOTP secret', account.totpSecret);
    canaries.add('password', readFileSync(account.passwordFile, 'utf8').trim());
    const add = ['service', 'webhook', 'add', '--data', data, '--email', account.email];
    const { signing_secret: secret } = await workplace.json<{ signing_secret: string }>([
      ...add,
      '--url',
      'https://example.org/hook',
    ]);
    canaries.add('secret of a webhook', secret);
    const server = await Server.start(workplace, data);
    const ask = async (path: string, token: string | undefined, body: object): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const response = await fetch(server.address + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as Record<string, unknown>;
    };
    const sign = { email: account.email, password: readFileSync(account.passwordFile, 'utf8').trim() };
    const challenge = await ask('/auth/v1/token?grant_type=password', undefined, sign);
    const [factor] = challenge['factors'] as { id: string }[];
    const code = { code: codeOf(account) };
    const session = await ask(`/auth/v1/factors/${factor!.id}/verify`, String(challenge['mfa_token']), code);
    const { recovery_codes: codes } = await ask('/auth/v1/recovery_codes', String(session['access_token']), {
      // Each code counts once, and that of the next half minute counts, too.
      code: codeOf(account, 30_000),
    });
    for (const one of codes as string[]) canaries.add('recovery code', one);
    canaries.add('access token', String(session['access_token']));
    canaries.add('refresh token', String(session['refresh_token']));
    // Wrong ones are not written down, either.
    await ask('/auth/v1/token?grant_type=password', undefined, { ...sign, password: `${sign.password} ` });
    await ask(`/auth/v1/factors/${factor!.id}/verify`, String(challenge['mfa_token']), {
      code: (codes as string[])[0],
    });
    await server[Symbol.asyncDispose]();
    const { stdout, stderr } = await server.running.ended;
    const database = new Database(workplace.path('data', 'metadata.sqlite'), { readonly: true });
    const seeds = database.prepare('SELECT name, value FROM secret').all() as { name: string; value: Buffer }[];
    database.close();
    expect(seeds.length).toBeGreaterThan(0);
    for (const { name, value } of seeds) canaries.add(`secret ${name}`, value);
    expect(stdout + stderr).toContain('/auth/v1/token');
    expect(canaries.in(stdout + stderr)).toEqual([]);
    const files = /(?:^|\/)metadata\.sqlite(?:-wal|-shm)?$|^password of /;
    expect(canaries.below(workplace.folder, files)).toEqual([]);
    // The service itself needs these; recovery codes, tokens and the password it only recognises.
    const known = canaries.below(workplace.path('data'), /\0/).filter((found) => !found.includes(': secret '));
    // Windows ends the service at once, so that the log of its database stays.
    const databases = new Set(known.map((found) => found.replace(/-wal:/, ':')));
    expect([...databases]).toEqual(['metadata.sqlite: TOTP secret']);
    expect(canaries.below(workplace.path('data'), /\0/)).toContain('metadata.sqlite: secret of a webhook');
  });

  test('at a service, and in its log and its data', async () => {
    const data = workplace.path('data');
    const service = await InProcessService.open(data, { create: true });
    const { deviceId, deviceKey } = await service.registerDevice({
      name: 'laptop',
      os: 'Linux',
      agent_version: 'test',
    });
    await service.close();
    canaries.add('device key', deviceKey);
    const server = await Server.start(workplace, data);
    const key = workplace.write('given-device-key', deviceKey);
    const place = ['--server', server.address, '--device-id', deviceId, '--device-key-file', key];
    const made = await workplace.run('setup', ...place, '--print-json');
    requireStatus(made);
    plantPhrase((JSON.parse(made.stdout) as { readonly recovery_phrase: string }).recovery_phrase);
    await searched(['set', 'add', 'documents', workplace.path('source')]);
    await searched(['backup', 'documents']);
    await searched(['restore', 'documents', '--to', workplace.path('target')]);
    expect(canaries.ofProcesses(server.running.child.pid!)).toEqual([]);
    await server[Symbol.asyncDispose]();
    const { stdout, stderr } = await server.running.ended;
    const log = stdout + stderr;
    expect(log).toContain('/functions/v1/backup');
    expect(canaries.in(log)).toEqual([]);
    // Access tokens, and the signatures of presigned addresses.
    expect(log).not.toMatch(/eyJ[\w-]{10,}\.|signature=[^"\s]/i);
  });
});
