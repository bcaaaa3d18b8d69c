import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ELECTRON, ElectronFixture } from './electron-fixture.ts';

const has = (program: string): boolean => spawnSync('which', [program]).status === 0;
const hasKeyring = has('gnome-keyring-daemon') && has('dbus-run-session') && has('dbus-send');
const PROGRAM = join(import.meta.dirname, '../../bin/holdfast');
const UNLOCKED = join(import.meta.dirname, '../helpers/keyring/unlocked.sh');

/** What precedes the fuses in the program of Electron: their version, their number, and `1` for each that is on. */
const FUSES = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX');

/** Returns a copy of Electron that never runs as Node, as a packaged app does. */
function fusedElectron(folder: string): string {
  mkdirSync(folder);
  const original = dirname(realpathSync(ELECTRON!));
  for (const name of readdirSync(original)) {
    if (name !== basename(ELECTRON!)) symlinkSync(join(original, name), join(folder, name));
  }
  const program = readFileSync(ELECTRON!);
  const runAsNode = program.indexOf(FUSES) + FUSES.length + 2;
  expect(String.fromCharCode(program[runAsNode]!)).toBe('1');
  program[runAsNode] = '0'.charCodeAt(0);
  const fused = join(folder, basename(ELECTRON!));
  writeFileSync(fused, program, { mode: 0o700 });
  return fused;
}

describe.skipIf(!ELECTRON || !hasKeyring)('the keychain in Electron (gnome-keyring)', () => {
  let folder: string;
  let keyring: ChildProcess;
  let electron: ElectronFixture;
  let environment: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-keychain-'));
    // The session lasts until the end of the input.
    keyring = spawn('dbus-run-session', ['--', UNLOCKED, folder, 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [address] = (await once(createInterface({ input: keyring.stdout! }), 'line')) as [string];
    environment = { HOME: folder, HOLDFAST_HOME: join(folder, 'holdfast'), DBUS_SESSION_BUS_ADDRESS: address };
    mkdirSync(join(folder, 'source'));
    writeFileSync(join(folder, 'source/letter'), 'Dear Anna');
    cli('setup', '--destination', join(folder, 'backups'));
    cli('set', 'add', 'letters', join(folder, 'source'), '--exclude', '!*');
    electron = await ElectronFixture.open({
      folder,
      electron: fusedElectron(join(folder, 'electron')),
      environment: { DBUS_SESSION_BUS_ADDRESS: address },
    });
  }, 240_000);
  afterAll(async () => {
    await electron?.close();
    keyring?.stdin!.end();
    if (keyring?.exitCode === null) await once(keyring, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the command line, whose Node has a way of its own to the keychain. */
  function cli(...words: readonly string[]): string {
    const env = { PATH: process.env['PATH'], ...environment };
    return execFileSync(PROGRAM, [...words, '--json'], { env, encoding: 'utf8' });
  }

  async function ask(name: string, input: unknown = {}): Promise<unknown> {
    const answer = (await electron.ask(name, input)) as { readonly ok: boolean; readonly value: unknown };
    expect(answer, `${name}\n${electron.output}`).toMatchObject({ ok: true });
    return answer.value;
  }

  test('protects the keys of a home, and a run in another thread opens it', async () => {
    // A busy keychain may answer the first check too late.
    await expect.poll(() => ask('security.state'), { interval: 1000 }).toMatchObject({ isKeychainAvailable: true });
    expect(await ask('security.state')).toMatchObject({ protection: 'file' });
    await ask('security.move-keys', { to: 'keychain' });
    expect(await ask('security.state')).toMatchObject({ protection: 'keychain' });
    const stored: unknown = JSON.parse(readFileSync(join(electron.home, 'secrets.json'), 'utf8'));
    expect(stored).toMatchObject({ protection: 'keychain' });
    expect(stored).not.toHaveProperty('masterKey');
    await ask('runs.backup', { set: 'letters' });
    await expect.poll(() => JSON.parse(cli('points', 'letters'))).toMatchObject({ points: [{ files: 1 }] });
  });
});
