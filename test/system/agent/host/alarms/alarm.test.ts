import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppState } from '../../../../../src/ipc/state.ts';
import { HostInTime, setForm } from '../host-in-time.ts';
import { programFile } from '../../../../helpers/program.ts';

const run = promisify(execFile);
const CLI = programFile('cli');
const FILES = 100;

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-alarm-'));
  mkdirSync(at('files'));
  for (let file = 0; file < FILES; file += 1) writeFileSync(at('files', `${file}.txt`), `letter ${file}\n`.repeat(200));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function backUp(host: HostInTime): Promise<AppState> {
  host.states.length = 0;
  const { run: id } = (await host.call('runs.backup', { set: 'Documents' })) as { run: number };
  return host.until(({ runs, sets }) => runs.length === 0 && sets[0]?.lastBackup?.id === id);
}

/** Content that looks encrypted. */
function encryptAll(): void {
  for (let file = 0; file < FILES; file += 1) writeFileSync(at('files', `${file}.txt`), randomBytes(2000));
}

const isSuspicious = ({ needs: [need] }: AppState): boolean => need?.kind === 'suspicious-run';

test('reports a suspicious run, also after a restart, until a person releases it', async () => {
  let suspicious: AppState;
  {
    await using host = new HostInTime(at('home'));
    host.start();
    await host.call('setup.finish', { choice: { kind: 'folder', path: at('backups') }, deviceName: 'laptop' });
    await host.call('sets.add', { form: setForm(at('files'), 'manual') });
    const { sets } = await backUp(host);
    const before = sets[0]!.lastPoint!.at;
    encryptAll();
    await backUp(host);
    suspicious = await host.until(isSuspicious);
    const [need] = suspicious.needs;
    expect(suspicious.health).toBe('at-risk');
    expect(need).toMatchObject({
      kind: 'suspicious-run',
      set: 'Documents',
      run: 2,
      reasons: ['mass_rewrite', 'mass_encryption', 'mass_damage'],
    });
    expect(need?.kind === 'suspicious-run' && Date.parse(need.safePoint!)).toBe(before);
    expect(host.notices).toEqual([{ kind: 'suspicious-run', set: 'Documents' }]);
  }
  await using host = new HostInTime(at('home'));
  host.start();
  expect((await host.until(() => true)).needs).toEqual(suspicious.needs);
  host.states.length = 0;
  await host.call('alarm.release', {});
  const after = await host.until(({ needs }) => !needs.some(({ kind }) => kind === 'suspicious-run'));
  expect(after.health).not.toBe('at-risk');
  expect(host.notices).toEqual([]);
});

test('reports a suspicious run of the command line, and notices a release there', async () => {
  await using host = new HostInTime(at('home'));
  host.start();
  await host.call('setup.finish', { choice: { kind: 'folder', path: at('backups') }, deviceName: 'laptop' });
  await host.call('sets.add', { form: setForm(at('files'), 'manual') });
  await backUp(host);
  encryptAll();
  const backup = run(process.execPath, [CLI, '--home', at('home'), 'backup', 'Documents']);
  await expect(backup).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('signs of ransomware') });
  await host.until(isSuspicious);
  await run(process.execPath, [CLI, '--home', at('home'), 'retention', 'release', 'Documents']);
  host.states.length = 0;
  host.pass(3_600_000);
  await host.until(({ needs }) => !needs.some(({ kind }) => kind === 'suspicious-run'));
});
