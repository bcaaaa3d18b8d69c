import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SystemKeychain } from '../../../../src/agent/key-store/keychain.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
const has = (program: string): boolean => spawnSync('which', [program]).status === 0;
const hasKeyring = has('gnome-keyring-daemon') && has('dbus-run-session') && has('dbus-send');

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'holdfast-keyring-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script with the sources and an unlocked keychain in the test's folder. */
async function withKeyring(script: string): Promise<unknown> {
  const file = join(folder, 'script.ts');
  const keychain = join(root, 'src/agent/key-store/keychain.ts');
  writeFileSync(file, `import { SystemKeychain } from ${JSON.stringify(keychain)};\n${script}`);
  const unlocked = join(root, 'test/helpers/keyring/unlocked.sh');
  const { stdout } = await run('dbus-run-session', ['--', unlocked, folder, process.execPath, file], {
    timeout: 60_000,
  });
  return JSON.parse(stdout);
}

describe("the system's keychain", () => {
  test.skipIf(!hasKeyring)('stores a key for other processes and deletes it (gnome-keyring)', async () => {
    const kept = await withKeyring(`
      const keychain = new SystemKeychain(process.env);
      await keychain.set('test', new Uint8Array(32).fill(5));
      console.log(JSON.stringify([...(await new SystemKeychain(process.env).get('test')) ?? []]));`);
    expect(kept).toEqual(Array.from({ length: 32 }, () => 5));
    const gone = await withKeyring(`
      const keychain = new SystemKeychain(process.env);
      const before = await keychain.get('test');
      await keychain.delete('test');
      console.log(JSON.stringify([before?.length, (await keychain.get('test')) === undefined]));`);
    expect(gone).toEqual([32, true]);
  });

  test('is unavailable when the system has none', async () => {
    const keychain = new SystemKeychain({
      PATH: process.env['PATH'],
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/no`,
    });
    if (process.platform !== 'linux') return;
    await expect(keychain.get('test')).rejects.toMatchObject({ code: 'keychain_unavailable' });
    await expect(keychain.set('test', new Uint8Array(32))).rejects.toMatchObject({ code: 'keychain_unavailable' });
  });

  test('is unavailable when it never answers, and its process is killed', async () => {
    const keychain = new SystemKeychain({ PATH: process.env['PATH'] }, 1);
    await expect(keychain.get('test')).rejects.toMatchObject({
      code: 'keychain_unavailable',
      details: { problem: 'no-answer' },
    });
  });
});
