import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CREDENTIALS, HAS_APACHE, startApache } from '../../helpers/webdav/apache.ts';
import { expectObstacleMoved, expectRecovery, newWorkplace, refusedSetup } from './store-journey.ts';
import type { Workplace } from './workplace.ts';

describe.skipIf(!HAS_APACHE)('backups on a WebDAV server (scripts/install-test-tools.sh)', () => {
  async function serve(): Promise<{ workplace: Workplace; address: string }> {
    const workplace = newWorkplace();
    // The server may run as another user.
    chmodSync(workplace.folder, 0o755);
    mkdirSync(workplace.path('served'));
    const { url, stop } = await startApache(workplace.path('served'));
    onTestFinished(stop);
    return { workplace, address: url.replace('http:', 'dav:') };
  }

  test('are restored with only the server, its password and the phrase', async () => {
    const { workplace, address } = await serve();
    const password = workplace.write('password', CREDENTIALS.password);
    const where = ['--destination', `${address}backups`, '--user', CREDENTIALS.user, '--password-file', password];
    expect((await expectRecovery(workplace, where)).cautions).toEqual(['races', 'power-cut']);
    expect(await workplace.json(['status'])).toMatchObject({
      destination: { kind: 'webdav', url: `${address.replace('dav:', 'http:')}backups/`, user: CREDENTIALS.user },
    });
    await expectObstacleMoved(workplace, workplace.path('served', 'backups'));
  });

  test('are refused in a folder with other files, which stay as they are', async () => {
    const { workplace, address } = await serve();
    mkdirSync(workplace.path('served', 'backups'));
    writeFileSync(workplace.path('served', 'backups', 'Notes & more.txt'), 'notes');
    const right = ['--user', CREDENTIALS.user, '--password-file', workplace.write('right', CREDENTIALS.password)];
    expect(await refusedSetup(workplace, ['--destination', `${address}backups`, ...right])).toMatchObject({
      status: 2,
      details: { problem: 'destination-foreign' },
    });
    expect(readdirSync(workplace.path('served', 'backups'))).toEqual(['Notes & more.txt']);
  });

  test('are refused with a wrong password, and where no folder can be created', async () => {
    const { workplace, address } = await serve();
    const wrong = ['--user', CREDENTIALS.user, '--password-file', workplace.write('wrong', 'wrong')];
    expect(await refusedSetup(workplace, ['--destination', `${address}backups`, ...wrong])).toMatchObject({
      status: 4,
      code: 'permission_denied',
      details: { reason: 'authentication' },
    });
    const right = ['--user', CREDENTIALS.user, '--password-file', workplace.write('right', CREDENTIALS.password)];
    expect(await refusedSetup(workplace, ['--destination', `${address}none/backups`, ...right])).toMatchObject({
      code: 'destination_unfit',
      details: { problem: 'write' },
    });
  });
});
