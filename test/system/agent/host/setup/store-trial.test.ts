import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { setupMethods, type DestinationChoice } from '../../../../../src/ipc/contract/setup.ts';
import { HAS_RCLONE, rcloneConfiguration } from '../../../../helpers/rclone/rclone-configuration.ts';
import { HAS_SSHD, SftpServer } from '../../../../helpers/sftp/sftp-server.ts';
import { CREDENTIALS, HAS_APACHE, startApache } from '../../../../helpers/webdav/apache.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

type ChoiceOf<Kind extends DestinationChoice['kind']> = Extract<DestinationChoice, { kind: Kind }>;

let fixture: HandlerFixture;
let ask: Call<typeof setupMethods>;
beforeEach(() => {
  fixture = new HandlerFixture();
  ask = fixture.ask(setupMethods, setupHandlers(fixture.host()));
  // Its known hosts and keys are the test's.
  vi.stubEnv('HOME', fixture.path());
});
afterEach(() => {
  vi.unstubAllEnvs();
  fixture.close();
});

const attempt = (destination: DestinationChoice) => ask('setup.try', { choice: destination });

describe.skipIf(!HAS_SSHD)('the trial of an SSH server (scripts/install-test-tools.sh)', () => {
  let server: SftpServer;
  beforeAll(async () => {
    server = await SftpServer.start();
  });
  afterAll(() => server?.close());

  const choice = (change: Partial<ChoiceOf<'sftp'>> = {}): ChoiceOf<'sftp'> => ({
    kind: 'sftp',
    host: ` 127.0.0.1:${server.port} `,
    user: userInfo().username,
    path: fixture.path('on the server'),
    signIn: { kind: 'key-file', file: server.keyFile, passphrase: '' },
    ...change,
  });

  test('needs the confirmation of the host key that the server presents', async () => {
    const failure = await failureFrom(attempt(choice()));
    const { fingerprint } = server;
    expect(failure).toMatchObject({ code: 'usage', details: { problem: 'host-key-unconfirmed', fingerprint } });
    expect(readdirSync(fixture.folder)).toEqual([]);
    expect(await attempt(choice({ hostKey: fingerprint }))).toEqual({
      location: `sftp://${userInfo().username}@127.0.0.1:${server.port}${fixture.path('on the server')}`,
      holdsBackups: false,
      cautions: [],
    });
    const left = readdirSync(fixture.path('on the server'), { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
  });

  test('cautions of a power cut if the server cannot sync', async () => {
    const other = await SftpServer.start(['fsync']);
    onTestFinished(() => other.close());
    const signIn = { kind: 'key-file', file: other.keyFile, passphrase: '' } as const;
    const destination = choice({ host: `127.0.0.1:${other.port}`, hostKey: other.fingerprint, signIn });
    expect(await attempt(destination)).toMatchObject({ cautions: ['power-cut'] });
  });

  test('accepts a host key that ssh knows', async () => {
    const [type, key] = readFileSync(`${server.hostKeyFile}.pub`, 'utf8').split(' ');
    fixture.write('.ssh/known_hosts', `[127.0.0.1]:${server.port} ${type} ${key}\n`);
    expect(await attempt(choice())).toMatchObject({ holdsBackups: false });
  });

  test('finds backups that are there, and sets up with the confirmed key', async () => {
    const destination = choice({ hostKey: server.fingerprint });
    await ask('setup.finish', { choice: destination, deviceName: 'laptop' });
    expect(fixture.agent.settings()?.destination).toMatchObject({
      kind: 'sftp',
      host: '127.0.0.1',
      port: server.port,
      hostKey: server.fingerprint,
    });
    expect(await attempt(destination)).toMatchObject({ holdsBackups: true });
  });

  test.each<[string, Partial<ChoiceOf<'sftp'>>, object]>([
    ['another host key', { hostKey: `SHA256:${'A'.repeat(43)}` }, { details: { reason: 'host-key' } }],
    [
      'a wrong password',
      { signIn: { kind: 'password', password: 'wrong' } },
      { code: 'permission_denied', details: { reason: 'authentication' } },
    ],
    ['no key file', { signIn: { kind: 'key-file', file: '~/none' } }, { details: { problem: 'file-unreadable' } }],
    ['no usual key', { signIn: { kind: 'default' } }, { details: { problem: 'ssh-key-missing' } }],
    ['a folder that cannot be written', { path: '/dev/null/backups' }, { details: { problem: 'write' } }],
    ['no name of a server', { host: 'anna@nas' }, { details: { problem: 'ssh-host' } }],
  ])('reports %s', async (_name, change, expected) => {
    vi.stubEnv('SSH_AUTH_SOCK', undefined);
    expect(await failureFrom(attempt(choice({ hostKey: server.fingerprint, ...change })))).toMatchObject(expected);
  });
});

describe.skipIf(!HAS_APACHE)('the trial of a WebDAV server (scripts/install-test-tools.sh)', () => {
  test('signs in, and reports each failure', async () => {
    chmodSync(fixture.folder, 0o755);
    mkdirSync(fixture.path('served'));
    const { url, stop } = await startApache(fixture.path('served'));
    onTestFinished(stop);
    const choice = { kind: 'webdav', address: `${url.replace('http:', 'dav:')}backups`, ...CREDENTIALS } as const;
    expect(await attempt(choice)).toEqual({
      location: `${url}backups/`,
      holdsBackups: false,
      cautions: ['races', 'power-cut'],
    });
    expect(
      await attempt({ ...choice, user: undefined, address: choice.address.replace('//', '//anna@') }),
    ).toMatchObject({
      location: `${url}backups/`,
    });
    const failures = [
      { ...choice, password: 'wrong' },
      { ...choice, user: ' ' },
      { ...choice, address: `${url}none/backups` },
      { ...choice, address: 'sftp://nas' },
    ].map((wrong) => failureFrom(attempt(wrong)));
    expect(await Promise.all(failures)).toMatchObject([
      { details: { reason: 'authentication' } },
      { details: { reason: 'authentication' } },
      { code: 'destination_unfit', details: { problem: 'write' } },
      { details: { problem: 'webdav-address' } },
    ]);
  });
});

describe.skipIf(!HAS_RCLONE)('rclone (scripts/install-test-tools.sh)', () => {
  test('lists its remotes, and tries a folder of one', async () => {
    const { name, configuration } = rcloneConfiguration(fixture.folder);
    vi.stubEnv('RCLONE_CONFIG', configuration);
    expect(await ask('setup.rclone-remotes', {})).toEqual({ remotes: [{ name, type: 'local' }] });
    const folder = fixture.path('cloud');
    expect(await attempt({ kind: 'rclone', remote: name, folder })).toEqual({
      location: `rclone:${name}:${folder}`,
      holdsBackups: false,
      cautions: ['races', 'power-cut'],
    });
    expect(await failureFrom(attempt({ kind: 'rclone', remote: 'none', folder }))).toMatchObject({
      code: 'destination_missing',
      details: { problem: 'rclone' },
    });
  });

  test('has no remotes before its configuration', async () => {
    vi.stubEnv('RCLONE_CONFIG', fixture.path('rclone.conf'));
    expect(await ask('setup.rclone-remotes', {})).toEqual({ remotes: [] });
  });

  test('is missing or too old', async () => {
    mkdirSync(fixture.path('programs'));
    vi.stubEnv('PATH', fixture.path('programs'));
    expect(await failureFrom(ask('setup.rclone-remotes', {}))).toMatchObject({
      code: 'usage',
      details: { problem: 'rclone-missing' },
    });
    writeFileSync(fixture.path('programs', 'rclone'), '#!/bin/sh\necho rclone v1.45\n', { mode: 0o755 });
    expect(await failureFrom(ask('setup.rclone-remotes', {}))).toMatchObject({ details: { found: 'rclone v1.45' } });
  });

  test('cannot read a configuration that is encrypted', async () => {
    vi.stubEnv('RCLONE_CONFIG', fixture.write('rclone.conf', 'RCLONE_ENCRYPT_V0:\nAAAA'));
    expect(await failureFrom(ask('setup.rclone-remotes', {}))).toMatchObject({
      details: { problem: 'rclone-unreadable' },
    });
  });
});
