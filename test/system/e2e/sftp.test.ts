import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HAS_SSHD, SftpServer } from '../../helpers/sftp/sftp-server.ts';
import { expectObstacleMoved, expectRecovery, newWorkplace, refusedSetup } from './store-journey.ts';
import type { Workplace } from './workplace.ts';

const OTHER_KEY = `SHA256:${'A'.repeat(43)}`;

describe.skipIf(!HAS_SSHD)('backups on an SSH server (scripts/install-test-tools.sh)', () => {
  let server: SftpServer;
  beforeAll(async () => {
    server = await SftpServer.start();
  });
  afterAll(() => server?.close());

  function addressIn(workplace: Workplace, { port } = server): string {
    return `sftp://${userInfo().username}@127.0.0.1:${port}${workplace.path('on the server')}`.replaceAll(' ', '%20');
  }

  test('are restored with only the server and the phrase', async () => {
    const workplace = newWorkplace();
    const where = ['--destination', addressIn(workplace), '--identity', server.keyFile];
    expect((await expectRecovery(workplace, [...where, '--host-key', server.fingerprint])).cautions).toEqual([]);
    expect(await workplace.json(['status'])).toMatchObject({
      destination: {
        kind: 'sftp',
        host: '127.0.0.1',
        port: server.port,
        user: userInfo().username,
        path: workplace.path('on the server'),
        host_key: server.fingerprint,
      },
    });
    expect((await workplace.run('status')).stdout).toContain(`sftp://${userInfo().username}@127.0.0.1:${server.port}/`);
    const limited = await workplace.run('backup', 'documents', '--limit-upload', '1M');
    expect(limited.status).toBe(2);
  });

  test('are refused in a folder with other files, which stay as they are', async () => {
    const workplace = newWorkplace();
    const folder = workplace.path('on the server');
    mkdirSync(folder);
    writeFileSync(workplace.path('on the server', 'My Photo.jpg'), 'photo');
    const where = ['--destination', addressIn(workplace), '--identity', server.keyFile];
    expect(await refusedSetup(workplace, [...where, '--host-key', server.fingerprint])).toMatchObject({
      status: 2,
      details: { problem: 'destination-foreign' },
    });
    expect(readdirSync(folder)).toEqual(['My Photo.jpg']);
  });

  test('use a default key, if ssh knows the server', async () => {
    const workplace = newWorkplace();
    mkdirSync(workplace.path('.ssh'));
    copyFileSync(server.keyFile, workplace.path('.ssh/id_rsa'));
    // This one is refused first.
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', workplace.path('.ssh/id_ed25519')]);
    const scanned = execFileSync('ssh-keyscan', ['-p', String(server.port), '127.0.0.1'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    writeFileSync(workplace.path('.ssh/known_hosts'), scanned);
    execFileSync('ssh-keygen', ['-q', '-H', '-f', workplace.path('.ssh/known_hosts')], { stdio: 'ignore' });
    await expectRecovery(workplace, ['--destination', addressIn(workplace)]);
    await expectObstacleMoved(workplace, workplace.path('on the server'));
  });

  test('need a confirmed host key, and refuse another one', async () => {
    const workplace = newWorkplace();
    const where = ['--destination', addressIn(workplace), '--identity', server.keyFile];
    expect(await refusedSetup(workplace, where)).toMatchObject({
      status: 2,
      code: 'usage',
      message: expect.stringContaining(`--host-key ${server.fingerprint}`),
    });
    expect(await refusedSetup(workplace, [...where, '--host-key', OTHER_KEY])).toMatchObject({
      status: 1,
      code: 'service_unreachable',
      details: { reason: 'host-key' },
    });
    expect(readdirSync(workplace.folder)).not.toContain('on the server');
  });

  test('are refused without a sign-in that the server accepts', async () => {
    const workplace = newWorkplace();
    const where = ['--destination', addressIn(workplace), '--host-key', server.fingerprint];
    const password = ['--password-file', workplace.write('password', 'wrong')];
    expect(await refusedSetup(workplace, [...where, ...password])).toMatchObject({
      status: 4,
      code: 'permission_denied',
      details: { reason: 'authentication' },
    });
    expect(await refusedSetup(workplace, [...where, '--identity', workplace.write('no-key', 'text')])).toMatchObject({
      details: { reason: 'private-key' },
    });
    expect(await refusedSetup(workplace, where)).toMatchObject({ details: { problem: 'ssh-key-missing' } });
  });

  test('are refused where nothing can be written', async () => {
    const workplace = newWorkplace();
    const address = `sftp://${userInfo().username}@127.0.0.1:${server.port}/dev/null/backups`;
    const where = ['--destination', address, '--host-key', server.fingerprint, '--identity', server.keyFile];
    expect(await refusedSetup(workplace, where)).toMatchObject({
      code: 'destination_unfit',
      details: { problem: 'write' },
    });
  });

  test('stop when the server presents another host key, until it is accepted', async () => {
    const own = await SftpServer.start();
    onTestFinished(() => own.close());
    const workplace = newWorkplace();
    const before = own.fingerprint;
    const place = addressIn(workplace, own);
    await workplace.json(['setup', '--destination', place, '--identity', own.keyFile, '--host-key', before]);
    mkdirSync(workplace.path('source'));
    workplace.write('source/a.txt', 'content');
    await workplace.addSet('documents', workplace.path('source'));
    await workplace.json(['backup', 'documents']);
    expect(await workplace.json(['host-key'])).toMatchObject({ accepted: before, presented: before });

    await own.replaceHostKey();
    const after = own.fingerprint;
    expect(after).not.toBe(before);
    const refused = await workplace.run('backup', 'documents', '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: {
        code: 'service_unreachable',
        details: { reason: 'host-key' },
        message: expect.stringContaining('holdfast host-key'),
      },
    });
    const shown = await workplace.run('host-key');
    expect(shown.status).toBe(1);
    expect(shown.stdout).toContain(before);
    expect(shown.stdout).toContain(`holdfast host-key --accept ${after}`);
    const wrong = await workplace.run('host-key', '--accept', OTHER_KEY, '--json');
    expect(wrong.status).toBe(2);
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      error: { details: { problem: 'host-key-unconfirmed', fingerprint: after } },
    });
    expect((await workplace.run('host-key', '--accept', 'MD5:00')).status).toBe(2);
    expect((await workplace.run('backup', 'documents')).status).toBe(1);

    expect(await workplace.json(['host-key', '--accept', `${after}=`])).toMatchObject({ accepted: after });
    await workplace.json(['backup', 'documents']);
    expect((await workplace.run('host-key')).status).toBe(0);
  });
});
