import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
const has = (program: string): boolean => spawnSync('which', [program]).status === 0;
const hasKeyring = has('gnome-keyring-daemon') && has('dbus-run-session') && has('dbus-send');

// The app moves the keys, and the command line has to find them, with and without a real keychain.
test.skipIf(!hasKeyring)('the command line uses keys that were moved into the keychain (gnome-keyring)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-shared-keys-'));
  const source = (path: string): string => JSON.stringify(join(root, 'src', path));
  const cli = `node ${JSON.stringify(join(root, 'src/cli/main.ts'))} --home ${JSON.stringify(join(folder, 'home'))}`;
  mkdirSync(join(folder, 'files'));
  writeFileSync(join(folder, 'files', 'a.txt'), 'text');
  writeFileSync(
    join(folder, 'move.ts'),
    `import { homeAt } from ${source('agent/home/home.ts')};
     import { HomeKeyStore } from ${source('agent/key-store/home-key-store.ts')};
     import { SystemKeychain } from ${source('agent/key-store/keychain.ts')};
     const home = homeAt(${JSON.stringify(join(folder, 'home'))});
     await new HomeKeyStore(home, new SystemKeychain(process.env)).moveTo(process.argv[2]);`,
  );
  writeFileSync(
    join(folder, 'steps.sh'),
    `set -e
     ${cli} setup --destination ${JSON.stringify(join(folder, 'backups'))} --json >/dev/null
     ${cli} set add docs ${JSON.stringify(join(folder, 'files'))} >/dev/null
     node ${JSON.stringify(join(folder, 'move.ts'))} keychain
     ${cli} status
     ${cli} backup docs --json`,
  );
  try {
    const environment = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` };
    const unlocked = join(root, 'test/helpers/keyring/unlocked.sh');
    const { stdout } = await run('dbus-run-session', ['--', unlocked, folder, 'sh', join(folder, 'steps.sh')], {
      env: environment,
      timeout: 120_000,
    });
    expect(stdout).toContain("in the system's keychain");
    expect(stdout).toContain('"files_processed":1');
    const without = { ...environment, DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/nobody` };
    const failed = await run('sh', ['-c', `${cli} backup docs --json`], { env: without }).catch(
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    );
    expect(failed).toMatchObject({ code: 4 });
    expect(failed.stdout + failed.stderr).toContain('keychain_unavailable');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
