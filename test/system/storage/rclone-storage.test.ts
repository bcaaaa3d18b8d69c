import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startRclone } from '../../../src/storage/rclone/rclone-process.ts';
import { RcloneStorage } from '../../../src/storage/rclone/rclone-storage.ts';
import { tryStorage } from '../../../src/storage/try-storage.ts';
import { describeStorage, listed } from '../../unit/storage/contract.ts';
import { dyingRclone } from './dying-rclone.ts';
import { newRepositoryFolder, placeIn } from './folder-place.ts';
import { expectCompleteAfterKill } from './killed-put.ts';

const HAS_RCLONE = spawnSync('rclone', ['version'], { stdio: 'ignore' }).status === 0;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-rclone-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(remote: string, isNew = false): RcloneStorage {
  const storage = new RcloneStorage({ remote, configuration: '' }, { clock: systemClock }, { isNew });
  onTestFinished(() => storage[Symbol.asyncDispose]());
  return storage;
}

/** Starts an empty bucket that refuses every file. Returns the remote. */
async function refusingBucket(status: number, code: string): Promise<string> {
  const server = createServer(({ method, url = '' }, answer) => {
    const isObject = url.split('?')[0]!.split('/').length > 2;
    if (method === 'GET')
      answer.end('<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
    else if (method === 'HEAD') answer.writeHead(isObject ? 404 : 200).end();
    else answer.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  // Its version of the library of S3 takes no other certificates.
  vi.stubEnv('AWS_CA_BUNDLE', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  return `:s3,provider=Other,access_key_id=a,secret_access_key=b,endpoint='http://127.0.0.1:${port}',low_level_retries=1:bucket/computers`;
}

/** Kills what serves a folder, and waits until it has ended. */
function killRclone(folder: string): void {
  const running = execFileSync('pgrep', ['-f', `^rclone serve webdav .*${folder}$`], { encoding: 'utf8' });
  for (const pid of running.trim().split('\n')) {
    process.kill(Number(pid), 'SIGKILL');
    execFileSync('tail', [`--pid=${pid}`, '-s', '0.01', '-f', '/dev/null']);
  }
}

describe.skipIf(!HAS_RCLONE)('with rclone (scripts/install-test-tools.sh)', () => {
  describeStorage('rclone with a local folder', async () => {
    const folder = newRepositoryFolder();
    const { clutter, close } = placeIn(folder);
    const storage = new RcloneStorage({ remote: folder, configuration: '' }, { clock: systemClock });
    return { open: async () => storage, clutter, close };
  });

  test('tells a file that cannot be decrypted from a remote that cannot be reached', async () => {
    const folder = newRepositoryFolder();
    onTestFinished(placeIn(folder).close);
    const password = execFileSync('rclone', ['obscure', 'secret'], { encoding: 'utf8' }).trim();
    const remote = `:crypt,remote='${folder}',filename_encryption=off,password=${password}:`;
    const policy = { attempts: 2, firstPauseMs: 1, longestPauseMs: 5, maxWaitMs: 5 };
    const storage = new RcloneStorage({ remote, configuration: '' }, { clock: systemClock, policy }, { isNew: true });
    onTestFinished(() => storage[Symbol.asyncDispose]());
    await storage.put('holdfast.json', [Buffer.from('{}')]);
    for (const name of ['keys/bad', 'keys/good']) await storage.put(name, [Buffer.alloc(200_000, 7)]);
    const stored = readFileSync(join(folder, 'keys/bad.bin'));
    stored[100_000]! ^= 1;
    writeFileSync(join(folder, 'keys/bad.bin'), stored);
    await expect(storage.get('keys/bad')).rejects.toMatchObject({
      code: 'destination_unwritable',
      details: { problem: 'cut-off' },
    });
    expect(await storage.get('keys/good')).toHaveLength(200_000);
  });

  test('keeps a repository in a remote without folders', async () => {
    const storage = open(':memory:bucket/computers', true);
    expect(await storage.put('holdfast.json', [Buffer.from('{}')])).toBe('created');
    expect(await tryStorage(storage)).toEqual({ refusesExisting: true, deletes: true });
    expect(await storage.put('packs/aa/pack', [Buffer.alloc(1_000_000)])).toBe('created');
    expect((await listed(storage, '')).map(({ name }) => name).toSorted()).toEqual(['holdfast.json', 'packs/aa/pack']);
    expect(storage.address).toBe('rclone::memory:bucket/computers');
  });

  test.each([
    [403, 'QuotaExceeded', 'destination_full'],
    [507, 'XMinioStorageFull', 'destination_full'],
    [403, 'AccessDenied', 'destination_unwritable'],
  ])('a bucket that answers a write with %d %s is reported as %s', async (status, code, reported) => {
    const storage = open(await refusingBucket(status, code), true);
    await expect(storage.put('packs/aa/pack', [Buffer.alloc(1_000)])).rejects.toMatchObject({ code: reported });
  });

  test.skipIf(process.getuid?.() !== 0)('reports a full disk, and knows the space of one (as root)', async () => {
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    writeFileSync(join(disk, 'holdfast.json'), '{}');
    const storage = open(disk);
    await expect(storage.put('packs/aa/large', [Buffer.alloc(6_000_000)])).rejects.toMatchObject({
      code: 'destination_full',
      details: { directory: storage.address },
    });
    expect(await storage.space()).toEqual({ total: 4 * 1024 ** 2, free: expect.any(Number) });
    expect(await open(':memory:bucket', true).space()).toBe(undefined);
  });

  test('names the remote in its errors, not the address of the process', async () => {
    const folder = temporaryFolder();
    await expect(open(folder).get('keys/a')).rejects.toMatchObject({
      code: 'destination_missing',
      details: { directory: `rclone:${folder}` },
    });
    await expect(open('unknown:path').get('keys/a')).rejects.toMatchObject({
      code: 'destination_missing',
      details: { directory: 'rclone:unknown:path' },
    });
  });

  test('takes a remote that looks like an option for a remote', async () => {
    await expect(
      startRclone({ remote: '--version', configuration: '' }).then((running) => running.end()),
    ).resolves.toBe(undefined);
  });

  test('serves nobody without the credentials, which no other user can see', async () => {
    const running = await startRclone({ remote: newRepositoryFolder(temporaryFolder()), configuration: '' });
    onTestFinished(() => running.end());
    expect((await fetch(running.url)).status).toBe(401);
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(processes).toContain('serve webdav');
    expect(processes).not.toContain(running.credentials.password);
  });

  test('ends rclone with the storage, and when the process is killed', async () => {
    const folder = newRepositoryFolder(temporaryFolder());
    const running = await startRclone({ remote: folder, configuration: '' });
    await running.end();
    await expect(fetch(running.url)).rejects.toThrow('fetch failed');

    const script = join(folder, 'start.ts');
    const module = join(import.meta.dirname, '../../../src/storage/rclone/rclone-process.ts');
    writeFileSync(
      script,
      `import { startRclone } from ${JSON.stringify(module)};
       console.log((await startRclone({ remote: ${JSON.stringify(folder)}, configuration: '' })).url);`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    expect((await fetch(url.trim())).status).toBe(401);
    child.kill('SIGKILL');
    for (;;) {
      const response = await fetch(url.trim()).catch(() => undefined);
      if (!response) break;
      await sleep(20);
    }
  });

  test('starts rclone again when it has ended, also while it is asked', async () => {
    const folder = newRepositoryFolder(temporaryFolder());
    const storage = open(folder);
    await storage.put('keys/a', [Buffer.from('a')]);
    // The first request finds that nobody listens any more, since this process has not heard of the end.
    killRclone(folder);
    expect(await storage.get('keys/a')).toHaveLength(1);
    const large = Buffer.alloc(64 * 1024 * 1024);
    const stored = storage.put('keys/b', [large]);
    killRclone(folder);
    expect(await stored).toBe('created');
    expect(await storage.get('keys/b')).toHaveLength(large.length);
  });

  test('does what an end of rclone has interrupted once, also if it had been done already', async () => {
    const folder = newRepositoryFolder(temporaryFolder());
    const dying = (): RcloneStorage => {
      const program = dyingRclone(temporaryFolder());
      const storage = new RcloneStorage({ remote: folder, configuration: '', program }, { clock: systemClock }, {});
      onTestFinished(() => storage[Symbol.asyncDispose]());
      return storage;
    };
    const parts = [Buffer.from('one'), Buffer.from('two')];
    expect(await dying().put('keys/a', parts)).toBe('created');
    expect(readFileSync(join(folder, 'keys/a'), 'utf8')).toBe('onetwo');
    expect(await dying().put('keys/a', parts)).toBe('exists');
    expect(await dying().move('keys/a', 'keys/b')).toBe('moved');
    expect(existsSync(join(folder, 'keys/a'))).toBe(false);
    expect(await dying().move('keys/a', 'keys/c')).toBe('missing');
  });

  test('says that rclone cannot be reached when it ends again and again', async () => {
    const folder = newRepositoryFolder(temporaryFolder());
    const program = join(temporaryFolder(), 'rclone');
    // Ends at the first connection.
    const server =
      "s = socket.create_server(('127.0.0.1', 0)); sys.stderr.write('Server started on http://127.0.0.1:%d/\\n' % s.getsockname()[1]); sys.stderr.flush(); s.accept()";
    writeFileSync(
      program,
      `#!/bin/sh\n[ "$1" = version ] && exec echo 'rclone v1.60'\nexec python3 -c "import socket, sys; ${server}"\n`,
      { mode: 0o755 },
    );
    const storage = new RcloneStorage({ remote: folder, program }, { clock: systemClock }, {});
    onTestFinished(() => storage[Symbol.asyncDispose]());
    await expect(storage.get('keys/a')).rejects.toMatchObject({
      code: 'service_unreachable',
      details: { reason: 'rclone' },
      retryable: true,
    });
  });

  test('shows no part of a file when the process is killed', async () => {
    const folder = newRepositoryFolder(temporaryFolder());
    await expectCompleteAfterKill({ kind: 'rclone', remote: folder, configuration: '' }, {}, open(folder));
  });
});

describe('without a usable rclone', () => {
  test('says so when there is none', async () => {
    await expect(startRclone({ remote: 'a:', program: '/nowhere/rclone' })).rejects.toMatchObject({
      code: 'usage',
      details: { problem: 'rclone-missing', program: '/nowhere/rclone' },
    });
  });

  test.each(['rclone v1.45', 'rclone v0.99.1', 'something else'])('says so when it prints %s', async (version) => {
    const program = join(temporaryFolder(), 'rclone');
    writeFileSync(program, `#!/bin/sh\necho '${version}'\n`);
    chmodSync(program, 0o755);
    await expect(startRclone({ remote: 'a:', program })).rejects.toMatchObject({
      code: 'usage',
      details: { problem: 'rclone-missing', program, needed: '1.57' },
    });
  });
});
