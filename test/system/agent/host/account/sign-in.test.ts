import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppState } from '../../../../../src/ipc/state.ts';
import type { Need } from '../../../../../src/model/need.ts';
import { HostProcess } from '../host-process.ts';
import { ANNA, HttpService } from '../http-service.ts';

const HOUR = 3_600_000;

let folder: string;
let service: HttpService;
let host: HostProcess;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sign-in-'));
  service = await HttpService.open();
  mkdirSync(at('files'));
  host = new HostProcess(at('home'));
  await host.ready;
  const step = await host.call('setup.sign-in', { url: service.url, ...ANNA });
  const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
  await host.call('setup.verify-factor', { factor, code: service.code() });
  await host.call('setup.finish', { choice: { kind: 'service', url: service.url }, deviceName: 'laptop' });
  const { words, ask } = await host.call('setup.phrase', {});
  await host.call('setup.confirm-phrase', { words: ask.map((position) => words[position]!) });
  const form = { name: 'Documents', roots: [at('files')], excludes: [], presets: [], oneFileSystem: false };
  const rest = { privateNames: false, schedule: 'manual', conditions: {}, limits: {} };
  await host.call('sets.add', { form: { ...form, ...rest } });
  addFile('first');
});
afterEach(async () => {
  await host[Symbol.asyncDispose]();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Too large for a pack, so that its upload can be delayed. */
function addFile(name: string): void {
  writeFileSync(at('files', name), randomBytes(1_500_000));
}

const begin = async (): Promise<number> => (await host.call('runs.backup', { set: 'Documents' })).run;

const endOf = (id: number): Promise<AppState> =>
  host.until(`the end of run ${id}`, ({ runs, sets: [set] }) => runs.length === 0 && (set?.lastBackup?.id ?? 0) >= id);

const kindsOf = ({ needs }: AppState): Need['kind'][] => needs.map(({ kind }) => kind);

test('renews a token that expires during a backup without a sign-in', async () => {
  service.holdUploads();
  const id = await begin();
  await expect.poll(() => service.heldUploads).toBeGreaterThan(0);
  service.advance(1.5 * HOUR);
  service.releaseUploads();
  const state = await endOf(id);
  expect(state.sets[0]!.lastBackup).toMatchObject({ id, outcome: 'succeeded' });
  expect(host.states.flatMap(kindsOf)).not.toContain('signed-out');
  expect(host.states.flatMap(kindsOf)).not.toContain('failed');
  expect(host.error).toBe('');
});

test('backs up when the clock is two hours off, and reports it as long as it is', async () => {
  service.advance(2 * HOUR);
  const state = await endOf(await begin());
  expect(state.sets[0]!.lastBackup).toMatchObject({ outcome: 'succeeded' });
  const [need] = state.needs;
  expect(need).toMatchObject({ kind: 'clock-wrong' });
  const aheadMs = need?.kind === 'clock-wrong' ? need.aheadMs! : 0;
  expect(Math.round(aheadMs / HOUR)).toBe(-2);
  expect(state.health).toBe('protected');

  service.setBack();
  addFile('second');
  expect((await endOf(await begin())).needs).toEqual([]);
});

test('reports a revoked computer as signed out, during a backup too', async () => {
  await endOf(await begin());
  const { devices } = await host.call('devices.list', {});
  addFile('second');
  service.holdUploads();
  const id = await begin();
  await expect.poll(() => service.heldUploads).toBeGreaterThan(0);
  const step = await host.call('account.sign-in', ANNA);
  const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
  await host.call('account.verify-factor', { factor, code: service.code() });
  await host.call('devices.revoke', { id: devices[0]!.id });
  service.releaseUploads();
  const state = await endOf(id);
  expect(state.sets[0]!.lastBackup).toMatchObject({ id, outcome: 'failed', failure: { code: 'device_refused' } });
  expect(state).toMatchObject({ health: 'attention', needs: [{ kind: 'signed-out' }] });
  await expect(host.call('devices.list', {})).rejects.toMatchObject({ code: 'device_refused' });
});
