import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AgentParts } from '../../../../src/agent/context/agent-parts.ts';
import { homeAt } from '../../../../src/agent/home/home.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import { SystemKeychain } from '../../../../src/agent/key-store/keychain.ts';
import { setup, type SetupReport } from '../../../../src/agent/operations/setup.ts';
import { ASYNC_CALLS, SYNC_CALLS } from '../../../../src/base/files/atomic-file.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { systemError } from '../../../helpers/replaced-fs.ts';

let folder: string;
let parts: AgentParts;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = homeAt(join(folder, 'home'));
  parts = { home, keyStore: new HomeKeyStore(home, new SystemKeychain({})), clock: systemClock, environment: {} };
});

function setUp(): Promise<SetupReport> {
  return setup(parts, { destination: { kind: 'folder', directory: join(folder, 'backups') } });
}

/** Makes writing a file of the home fail. */
function failingAt(path: string): Disposable {
  const { renameSync } = SYNC_CALLS;
  const { rename } = ASYNC_CALLS;
  const spies = [
    vi.spyOn(SYNC_CALLS, 'renameSync').mockImplementation((from, to) => {
      if (to === path) throw systemError('EIO');
      renameSync(from, to);
    }),
    vi.spyOn(ASYNC_CALLS, 'rename').mockImplementation(async (from, to) => {
      if (to === path) throw systemError('EIO');
      await rename(from, to);
    }),
  ];
  return { [Symbol.dispose]: () => spies.forEach((spy) => spy.mockRestore()) };
}

describe('a set-up whose home cannot be saved', () => {
  test.each(['secretsFile', 'settingsFile'] as const)('leaves no backups that nobody can open: %s', async (file) => {
    {
      using _ = failingAt(parts.home[file]);
      await expect(setUp()).rejects.toMatchObject({ code: 'home_unwritable' });
    }
    expect(existsSync(join(folder, 'backups'))).toBe(false);
    expect(existsSync(parts.home.secretsFile)).toBe(false);
    await expect(setUp()).resolves.toMatchObject({ adopted: false });
  });

  test('is not set up when only its folder cannot be synced', async () => {
    const { fsyncSync } = SYNC_CALLS;
    const spy = vi.spyOn(SYNC_CALLS, 'fsyncSync').mockImplementation((handle) => {
      if (existsSync(parts.home.settingsFile)) throw systemError('EIO');
      fsyncSync(handle);
    });
    onTestFinished(() => spy.mockRestore());
    await expect(setUp()).rejects.toMatchObject({ code: 'home_unwritable' });
    expect(existsSync(parts.home.settingsFile)).toBe(false);
    expect(readdirSync(folder)).not.toContain('backups');
  });
});
