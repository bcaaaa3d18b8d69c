import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppState, SetAtDestination } from '../../../../../src/ipc/state.ts';
import { HostInTime, setForm } from '../host-in-time.ts';
import { ANNA, HttpService } from '../http-service.ts';

const MINUTE = 60_000;

let folder: string;
let host: HostInTime;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-destinations-'));
  mkdirSync(join(folder, 'files'));
  // Large enough for chunks that a service gets one by one.
  for (let index = 0; index < 12; index += 1) writeFileSync(join(folder, 'files', `${index}`), randomBytes(1_500_000));
  host = new HostInTime(join(folder, 'home'));
  host.start();
  await host.call('setup.finish', {
    choice: { kind: 'folder', path: join(folder, 'disk') },
    deviceName: 'laptop',
  });
});
afterEach(async () => {
  await host[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const at = ({ destinations }: AppState, index: number): SetAtDestination | undefined => destinations[index]?.sets[0];
const point = (state: AppState, index: number): number => at(state, index)?.lastPoint?.at ?? 0;
const isIdle = ({ runs }: AppState): boolean => runs.length === 0;

/** Waits for a state from now on. */
async function next(holds: (state: AppState) => boolean): Promise<AppState> {
  host.states.length = 0;
  return await host.until(holds);
}

test('backs up to the disk that is there, and to the other one when it returns', async () => {
  const other = join(folder, 'other');
  await host.call('destinations.add', { choice: { kind: 'folder', path: other } });
  await host.call('sets.add', { form: setForm(join(folder, 'files'), 'every 30 minutes') });
  await host.call('runs.backup', { set: 'Documents' });
  const first = await next((state) => isIdle(state) && point(state, 0) > 0 && point(state, 1) > 0);
  renameSync(other, `${other}.away`);
  host.pass(31 * MINUTE);
  // Both waited for the run that has just ended.
  const waitsForOther = (state: AppState): boolean => {
    const decision = at(state, 1)?.decision;
    return decision?.kind === 'waiting' && decision.reason.kind !== 'other-run';
  };
  const waiting = await next((state) => isIdle(state) && point(state, 0) > point(first, 0) && waitsForOther(state));
  expect(at(waiting, 1)).toMatchObject({
    state: 'succeeded',
    decision: { kind: 'waiting', reason: { kind: 'destination', location: other } },
  });
  expect(at(waiting, 0)?.decision).toMatchObject({ kind: 'next' });
  expect(waiting.sets[0]!.decision).toEqual(at(waiting, 0)?.decision);
  expect(point(waiting, 1)).toBe(point(first, 1));

  renameSync(`${other}.away`, other);
  const back = await next((state) => isIdle(state) && point(state, 1) > point(first, 1));
  expect(point(back, 0)).toBe(point(waiting, 0));
  const { runs } = (await host.call('activity.list', { limit: 1 })) as { runs: readonly object[] };
  expect(runs).toMatchObject([
    { kind: 'backup', outcome: 'succeeded', trigger: expect.stringMatching(/schedule|missed/) },
  ]);
});

test('backs up to a destination by its own schedule', async () => {
  const other = { kind: 'folder', path: join(folder, 'other') } as const;
  const { id } = (await host.call('destinations.add', { choice: other, schedule: 'manual' })) as { id: string };
  await host.call('sets.add', { form: setForm(join(folder, 'files'), 'manual') });
  const before = await next((state) => at(state, 1) !== undefined);
  expect([0, 1].map((index) => at(before, index)?.decision.kind)).toEqual(['manual', 'manual']);
  await host.call('destinations.change', { destination: id, schedule: 'every 30 minutes' });
  await next((state) => at(state, 1)?.decision.kind === 'next');
  host.pass(31 * MINUTE);
  const state = await next((made) => isIdle(made) && point(made, 1) > 0);
  expect(at(state, 0)).toMatchObject({ state: 'none', decision: { kind: 'manual' } });
});

test('backs up to a disk while uploads to a slow service go on, and sends no chunk twice', async () => {
  const service = await HttpService.open();
  try {
    const step = (await host.call('setup.sign-in', { url: service.url, ...ANNA })) as { factors: { id: string }[] };
    await host.call('setup.verify-factor', { factor: step.factors[0]!.id, code: service.code() });
    service.setBack();
    await host.call('destinations.add', { choice: { kind: 'service', url: service.url } });
    await host.call('sets.add', { form: setForm(join(folder, 'files'), 'every 30 minutes') });
    const stored = (): string[] =>
      service.answers.filter(({ path }) => path.startsWith('/objects/')).map(({ path }) => path);
    service.holdUploads();
    await host.call('runs.backup', { set: 'Documents' });
    const first = await host.seen((state) => at(state, 0)?.state === 'succeeded' && at(state, 1)?.state === 'running');
    const sent = async (count: number): Promise<void> => {
      const release = (): boolean => {
        if (stored().length < count && service.heldUploads > 0) service.releaseOneUpload();
        return stored().length >= count;
      };
      await expect.poll(release, { timeout: 30_000, interval: 50 }).toBe(true);
    };
    await sent(8);
    const before = stored();
    host.pass(31 * MINUTE);
    const second = await next((state) => point(state, 0) > point(first, 0));
    expect(point(second, 1)).toBe(0);
    service.releaseUploads();
    const last = await next((state) => isIdle(state) && point(state, 1) > 0);
    expect(at(last, 1)?.state).toBe('succeeded');
    expect(host.notices).toEqual([]);
    // Chunks that were in flight may have been sent again, but none that was stored.
    const after = stored().slice(before.length);
    expect(after.filter((path) => before.includes(path))).toEqual([]);
    expect(after.length).toBeGreaterThan(0);
  } finally {
    await service.close();
  }
});
