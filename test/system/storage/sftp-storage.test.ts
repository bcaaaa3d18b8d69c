import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { RetryPolicy } from '../../../src/remote/http/retrier.ts';
import type { SftpConfig } from '../../../src/storage/sftp/sftp-config.ts';
import { sftpAddress } from '../../../src/storage/sftp/sftp-config.ts';
import { SftpCalls } from '../../../src/storage/sftp/sftp-calls.ts';
import { SftpStorage } from '../../../src/storage/sftp/sftp-storage.ts';
import { FaultProxy } from '../../helpers/fault-proxy/fault-proxy.ts';
import { HAS_SSHD, SftpServer } from '../../helpers/sftp/sftp-server.ts';
import { describeStorage, listed } from '../../unit/storage/contract.ts';
import { newRepositoryFolder, placeIn } from './folder-place.ts';
import { expectCompleteAfterKill } from './killed-put.ts';

const FEW: RetryPolicy = { attempts: 2, firstPauseMs: 1, longestPauseMs: 5, maxWaitMs: 5 };
const MANY: RetryPolicy = { attempts: 50, firstPauseMs: 5, longestPauseMs: 50, maxWaitMs: 60_000 };

test('what a server says of a lost connection, which may echo a password, is in no error', async () => {
  const said = Object.assign(new Error('canary-password'), { code: 7 });
  const sftp = { stat: (_path: string, done: (error: Error) => void) => done(said) } as unknown as ssh2.SFTPWrapper;
  const connection = { sftp, lost: new Promise<never>(() => undefined), end: () => undefined };
  const failed = await new SftpCalls(connection).stat('/a').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(inspect(failed, { depth: 9 })).not.toContain('canary-password');
});

describe.skipIf(!HAS_SSHD)('with an SSH server (scripts/install-test-tools.sh)', () => {
  let server: SftpServer;

  beforeAll(async () => {
    server = await SftpServer.start();
  });
  afterAll(() => server?.close());

  describeStorage('sftp', async () => {
    const folder = newRepositoryFolder();
    return { open: async () => new SftpStorage(server.config(folder), { clock: systemClock }), ...placeIn(folder) };
  });

  describeStorage('sftp without links and syncs', async () => {
    const other = await SftpServer.start(['hardlink', 'fsync', 'statvfs']);
    const folder = newRepositoryFolder();
    return {
      ...placeIn(folder),
      open: async () => new SftpStorage(other.config(folder), { clock: systemClock }),
      close: async () => {
        await other.close();
        await placeIn(folder).close();
      },
    };
  });

  function open(folder: string, change: Partial<SftpConfig> = {}, policy = FEW, isNew = false): SftpStorage {
    const storage = new SftpStorage({ ...server.config(folder), ...change }, { clock: systemClock, policy }, { isNew });
    onTestFinished(() => storage[Symbol.asyncDispose]());
    return storage;
  }

  function newFolder(): string {
    const folder = newRepositoryFolder();
    onTestFinished(placeIn(folder).close);
    return folder;
  }

  test('names a link that leads nowhere in the place of a folder, and moves the link itself', async () => {
    const folder = newFolder();
    const storage = open(folder);
    symlinkSync('nowhere', join(folder, 'keys'));
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync('elsewhere', join(folder, 'packs'));
    expect(await storage.obstacles(['keys', 'packs', 'ledger'])).toEqual([{ name: 'keys', isLink: true }]);
    expect(await storage.move('keys', 'damaged/keys.other-1')).toBe('moved');
    expect(readlinkSync(join(folder, 'damaged/keys.other-1'))).toBe('nowhere');
    expect(await storage.put('keys/a', [Buffer.from('a')])).toBe('created');
  });

  test('creates a new repository with the folders above it', async () => {
    const folder = join(newFolder(), 'deep/down');
    const storage = open(folder, {}, FEW, true);
    expect(await storage.put('holdfast.json', [Buffer.from('{}')])).toBe('created');
    expect(await storage.put('keys/a', [Buffer.from('a')])).toBe('created');
    expect(await open(folder).get('keys/a')).toHaveLength(1);
  });

  test('neither reads nor writes where no repository is', async () => {
    const folder = newFolder();
    const storage = open(folder);
    await storage.put('keys/a', [Buffer.from('a')]);
    renameSync(folder, `${folder}-away`);
    mkdirSync(folder);
    const missing = { code: 'destination_missing', details: { directory: sftpAddress(server.config(folder)) } };
    await expect(storage.put('keys/b', [Buffer.from('b')])).rejects.toMatchObject(missing);
    await expect(storage.get('keys/a')).rejects.toMatchObject(missing);
    await expect(storage.delete('keys/a')).rejects.toMatchObject(missing);
    await expect(listed(storage, '')).rejects.toMatchObject(missing);
    expect(readdirSync(folder)).toEqual([]);
    renameSync(`${folder}-away`, join(folder, 'away'));
  });

  test('refuses a server with another host key', async () => {
    const storage = open(newFolder(), { hostKey: { kind: 'known', fingerprint: 'SHA256:AAAA' } });
    await expect(storage.get('keys/a')).rejects.toMatchObject({
      code: 'service_unreachable',
      details: { reason: 'host-key' },
      retryable: false,
    });
  });

  test('asks about the host key, by the fingerprint that ssh-keygen shows', async () => {
    const folder = newFolder();
    const asked: string[] = [];
    const answer = (accepted: boolean) => ({
      kind: 'ask' as const,
      accept: async (fingerprint: string) => {
        asked.push(fingerprint);
        return accepted;
      },
    });
    expect(await open(folder, { hostKey: answer(true) }).get('holdfast.json')).toBeDefined();
    await expect(open(folder, { hostKey: answer(false) }).get('holdfast.json')).rejects.toMatchObject({
      details: { reason: 'host-key' },
    });
    expect(asked).toEqual([server.fingerprint, server.fingerprint]);
  });

  test('reports a key that may not sign in, a password, and files that are no keys', async () => {
    const folder = newFolder();
    const text = join(folder, 'text');
    writeFileSync(text, 'no key');
    for (const [authentication, expected] of [
      [
        { kind: 'password', password: 'wrong' },
        { code: 'permission_denied', details: { reason: 'authentication' } },
      ],
      [
        { kind: 'key-file', file: text },
        { code: 'permission_denied', details: { reason: 'private-key' } },
      ],
      [
        { kind: 'key-file', file: join(folder, 'none') },
        { code: 'usage', details: { problem: 'file-unreadable' } },
      ],
    ] as const) {
      await expect(open(folder, { authentication }).get('keys/a')).rejects.toMatchObject(expected);
    }
  });

  test('signs in with a key of an agent', async () => {
    const folder = newFolder();
    const socket = join(folder, 'agent');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    onTestFinished(() => void agent.kill());
    while (!existsSync(socket)) await sleep(10);
    const authentication = { kind: 'agent', socket } as const;
    await expect(open(folder, { authentication }).get('keys/a')).rejects.toMatchObject({ code: 'permission_denied' });
    execFileSync('ssh-add', ['-q', server.keyFile], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
    expect(await open(folder, { authentication }).get('keys/a')).toBeUndefined();
  });

  test('needs the passphrase of an encrypted key', async () => {
    const folder = newFolder();
    const file = join(folder, 'key');
    copyFileSync(server.keyFile, file);
    chmodSync(file, 0o600);
    execFileSync('ssh-keygen', ['-q', '-p', '-P', '', '-N', 'secret words', '-f', file]);
    const kind = 'key-file';
    expect(await open(folder, { authentication: { kind, file, passphrase: 'secret words' } }).get('a')).toBeUndefined();
    for (const passphrase of [undefined, 'wrong']) {
      await expect(open(folder, { authentication: { kind, file, passphrase } }).get('a')).rejects.toMatchObject({
        code: 'permission_denied',
        details: { reason: 'private-key' },
      });
    }
  });

  test.each(['password', 'keyboard-interactive'])('sends the password as %s', async (method) => {
    const other = new ssh2.Server({ hostKeys: [readFileSync(server.hostKeyFile)] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (context) => {
        if (context.method !== method) return context.reject([method as 'password']);
        if (context.method === 'password' && context.password === 'right') return context.accept();
        if (context.method !== 'keyboard-interactive') return context.reject();
        context.prompt([{ prompt: 'Password: ', echo: false }], (answers) =>
          answers[0] === 'right' ? context.accept() : context.reject(),
        );
      });
    });
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve());
    });
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const failureWith = (password: string) =>
      open(newFolder(), { port, authentication: { kind: 'password', password } })
        .get('a')
        .catch((error: unknown) => error);
    expect(await failureWith('wrong')).toMatchObject({ details: { reason: 'authentication' } });
    // It offers no files after that.
    expect(await failureWith('right')).toMatchObject({ details: { reason: 'sftp' } });
  });

  test.skipIf(process.getuid?.() !== 0)('reports a full disk (as root)', async () => {
    const disk = join(newFolder(), 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    writeFileSync(join(disk, 'holdfast.json'), '{}');
    const storage = open(disk);
    await expect(storage.put('packs/aa/large', [Buffer.alloc(6_000_000)])).rejects.toMatchObject({
      code: 'destination_full',
    });
    expect(readdirSync(join(disk, 'packs/aa'))).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)('reports a disk that has no room for another file (as root)', async () => {
    const disk = join(newFolder(), 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,nr_inodes=6', 'tmpfs', disk]);
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    writeFileSync(join(disk, 'holdfast.json'), '{}');
    const storage = open(disk);
    const putting = async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await storage.put(`keys/${name}`, [Buffer.from(name)]);
    };
    await expect(putting()).rejects.toMatchObject({ code: 'destination_full' });
    expect((await storage.space())!.free).toBeGreaterThan(1_000_000);
    writeFileSync(join(disk, 'last'), '');
    expect(await storage.space()).toMatchObject({ free: 0 });
  });

  test('says that the server is unreachable, which may pass', async () => {
    await expect(open(newFolder(), { port: 1 }).get('keys/a')).rejects.toMatchObject({
      code: 'service_unreachable',
      retryable: true,
    });
  });

  test('continues on a new connection when the old one is lost', async () => {
    const folder = newFolder();
    const proxy = await FaultProxy.start(`http://127.0.0.1:${server.port}`);
    onTestFinished(() => proxy.close());
    const storage = open(folder, { port: Number(new URL(proxy.url).port) }, MANY);
    await storage.put('keys/a', [Buffer.from('a')]);
    proxy.resetAll();
    expect(await storage.get('keys/a')).toHaveLength(1);
    proxy.resetAll();
    expect(await storage.put('keys/b', [Buffer.from('b')])).toBe('created');
    // In the middle of a file.
    proxy.set('up', { resetAfter: 300_000 });
    const content = Buffer.alloc(2_000_000, 'x');
    const putting = storage.put('packs/aa/large', [content]);
    while (proxy.resets < 3) {
      await sleep(5);
    }
    proxy.heal();
    expect(await putting).toBe('created');
    expect(Buffer.from((await storage.get('packs/aa/large'))!).equals(content)).toBe(true);
  });

  test('reports a file as created when the connection was lost after it was', async () => {
    const folder = newFolder();
    const proxy = await FaultProxy.start(`http://127.0.0.1:${server.port}`);
    onTestFinished(() => proxy.close());
    const storage = open(folder, { port: Number(new URL(proxy.url).port) }, MANY);
    await storage.put('keys/before', [Buffer.from('a')]);
    // The response arrives well after the test has seen the file.
    proxy.set('down', { latencyMs: 300 });
    const putting = storage.put('keys/lost', [Buffer.from('mine')]);
    while (!existsSync(join(folder, 'keys/lost'))) await sleep(5);
    proxy.resetAll();
    proxy.heal();
    expect(await putting).toBe('created');
    expect(readdirSync(join(folder, 'keys')).filter((name) => !name.startsWith('.'))).toEqual(['before', 'lost']);
  });

  test('removes unfinished files that are older than a day, once it writes', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'keys'));
    for (const name of ['.tmp-old', '.tmp-new']) writeFileSync(join(folder, 'keys', name), 'x');
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    utimesSync(join(folder, 'keys/.tmp-old'), yesterday, yesterday);
    const storage = open(folder);
    await listed(storage, '');
    expect(existsSync(join(folder, 'keys/.tmp-old'))).toBe(true);
    await storage.put('keys/a', [Buffer.from('a')]);
    expect(readdirSync(join(folder, 'keys'))).toEqual(['.tmp-new', 'a']);
  });

  test('shows no part of a file when the process is killed', async () => {
    const folder = newFolder();
    const { hostKey: _, authentication, ...place } = server.config(folder);
    const location = { kind: 'sftp', fingerprint: server.fingerprint, ...place } as const;
    await expectCompleteAfterKill(location, { sftp: authentication }, open(folder));
  });
});
