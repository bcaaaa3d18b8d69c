import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { homeAt } from '../../../../../src/agent/home/home.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import type { ListedRun } from '../../../../../src/ipc/contract/activity.ts';
import type { ConflictChoice, RestoreRequest } from '../../../../../src/model/restore-request.ts';
import type { AppState } from '../../../../../src/ipc/state.ts';
import { FolderSnapshot } from '../../../../helpers/folder-snapshot.ts';
import { DestinationFixture } from '../destination/destination-fixture.ts';
import type { HostProcess } from '../host-process.ts';
import { ANNA, HttpService } from '../http-service.ts';
import { orThorough } from '../../../../helpers/thorough.ts';

let fixture: DestinationFixture;
let backedUp: FolderSnapshot;
/** A restore of the newest of three restore points. */
let request: RestoreRequest;
/** The pack with the file that is restored last. */
let last: string;
const pipes: number[] = [];
beforeAll(async () => {
  fixture = new DestinationFixture();
  // More than a restore holds at once (32 MiB): when it asks for the last file, the first ones are complete.
  for (let file = 10; file < 26; file += 1) fixture.write(`large ${file}`, randomBytes(2 * 2 ** 20));
  const host = await fixture.start();
  request = await setUpWithBackup(host);
  await host.stop();
  backedUp = new FolderSnapshot(fixture.folder);
});
beforeEach(() => backedUp.restore());
afterEach(() => {
  for (const pipe of pipes.splice(0)) closeSync(pipe);
});
afterAll(() => {
  fixture.close();
  backedUp[Symbol.dispose]();
});

const NEED = { kind: 'restore-unfinished', set: 'Documents' };
const PATIENCE = { timeout: 60_000, interval: 200 };
const isIdle = ({ runs }: AppState): boolean => runs.length === 0;
const isWell = ({ runs, needs }: AppState): boolean => runs.length === 0 && needs.length === 0;
const isDownloading = ({ runs: [run] }: AppState): boolean => run?.kind === 'restore' && run.phase === 'downloading';

async function setUpWithBackup(host: HostProcess): Promise<RestoreRequest> {
  await fixture.setUp(host);
  await fixture.backUp(host);
  const before = new Set(packs());
  fixture.write('the last one', randomBytes(2 * 2 ** 20));
  await fixture.backUp(host);
  // A small pack has the second copies of the tree.
  last = packs()
    .filter((pack) => !before.has(pack))
    .toSorted((a, b) => statSync(b).size - statSync(a).size)[0]!;
  // The tree that is restored is in another pack, so that the plan can be made.
  fixture.write('0.txt', randomBytes(4_000));
  await fixture.backUp(host);
  return { ...(await newestPoint(host)), paths: [], to: fixture.at('back'), conflict: 'skip' };
}

async function newestPoint(host: HostProcess): Promise<{ set: string; at: number }> {
  const { points } = await host.call('restore.points', { set: 'Documents' });
  return { set: 'Documents', at: Date.parse(points[0]!.restorePoint) };
}

const packs = (): readonly string[] => filesBelow(fixture.at('backups', 'packs'));

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Replaces the last pack by a pipe without a writer: a restore that opens it waits there. */
function blockLastPack(): () => void {
  const pipe = fixture.at('pipe');
  renameSync(last, fixture.at('pack'));
  execFileSync('mkfifo', [pipe]);
  linkSync(pipe, last);
  return () => {
    renameSync(fixture.at('pack'), last);
    // Whoever opened the pipe gets a writer, and finds that the pipe is empty.
    pipes.push(openSync(pipe, constants.O_RDWR));
  };
}

async function restores(host: HostProcess): Promise<readonly Pick<ListedRun, 'trigger' | 'outcome'>[]> {
  const { runs } = await host.call('activity.list', { limit: 10, kind: 'restore' });
  return runs.map(({ trigger, outcome }) => ({ trigger, outcome }));
}

/** Begins a restore that cannot complete, and kills its process when a part is restored. */
async function killedInTheMiddle(host: HostProcess, request: RestoreRequest): Promise<void> {
  const unblock = blockLastPack();
  await host.call('restore.start', request);
  await host.until('the download', isDownloading);
  await expect.poll(() => existsSync(join(request.to!, 'files', '0.txt')), PATIENCE).toBe(true);
  await host.kill();
  unblock();
}

/** Signs in at a service, which becomes the destination. */
async function setUpAtService(host: HostProcess, service: HttpService): Promise<void> {
  const step = await host.call('setup.sign-in', { url: service.url, ...ANNA });
  if (step.kind !== 'factors') throw new Error('no second factor');
  await host.call('setup.verify-factor', { factor: step.factors[0]!.id, code: service.code() });
  service.setBack();
  await fixture.setUp(host, { kind: 'service', url: service.url });
}

describe('a restore whose process was killed', () => {
  test.each<ConflictChoice>(orThorough(['overwrite'], ['skip', 'overwrite', 'keep-both']))(
    'continues by itself, once, with the same conflict choice (%s)',
    async (conflict) => {
      await using first = await fixture.start();
      const target = fixture.at('back', 'files');
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, '3.txt'), 'mine');
      await killedInTheMiddle(first, { ...request, conflict });
      expect(fixture.differencesTo(fixture.at('back'))).not.toBe('');

      await using host = await fixture.start();
      await expect
        .poll(() => restores(host), PATIENCE)
        .toEqual([
          { trigger: 'resume', outcome: 'succeeded' },
          { trigger: 'person', outcome: 'interrupted' },
        ]);
      const { sets } = await host.until('its end, and no need', isWell);
      // A restore is no backup of its set, neither while it goes on nor after its end.
      expect(sets.map(({ decision }) => decision)).toEqual([{ kind: 'manual' }]);
      const found = fixture.differencesTo(fixture.at('back'));
      const mine = readFileSync(join(target, '3.txt'), 'utf8') === 'mine';
      const beside = readdirSync(target).filter((name) => name.startsWith('3 (restored'));
      expect({ mine, beside: beside.length }).toEqual({
        mine: conflict !== 'overwrite',
        beside: conflict === 'keep-both' ? 1 : 0,
      });
      // No other differences: no partial file, and none twice.
      const lines = found.split('\n').filter((line) => /^(Only in|diff|Binary)/.test(line));
      expect(lines).toHaveLength(Number(mine) + beside.length);
      // Home tells of all that is back, that from before the interruption included.
      const { resumedRestore } = await host.until('its figures', (state) => state.resumedRestore !== undefined);
      const there = filesBelow(fixture.at('back'));
      expect(resumedRestore).toMatchObject({
        set: 'Documents',
        outcome: 'succeeded',
        filesFailed: 0,
        to: request.to,
        files: there.length - Number(mine),
        bytes: there.reduce((sum, file) => sum + statSync(file).size, 0) - (mine ? 'mine'.length : 0),
      });
    },
  );

  test('does not continue when a person stopped it, or when it had ended', async () => {
    await using first = await fixture.start();
    const unblock = blockLastPack();
    const { run } = await first.call('restore.start', request);
    await first.until('the download', isDownloading);
    await first.call('runs.stop', { run });
    unblock();
    await first.until('its end', isIdle);
    await first.kill();
    await expectNothingGoesOn(['cancelled']);
    using catalog = new Catalog(homeAt(fixture.at('home')).catalogFile);
    expect(catalog.journal.pendingRestores()).toEqual([]);
    expect(catalog.journal.unresumedRestores()).toEqual([]);
  });

  test('continues when the program ended in order, too', async () => {
    const service = await HttpService.open();
    try {
      rmSync(fixture.at('home'), { recursive: true });
      await using first = await fixture.start();
      await setUpAtService(first, service);
      await fixture.backUp(first);
      service.holdDownloads();
      await first.call('restore.start', { ...request, ...(await newestPoint(first)) });
      // The plan is made of one blob, and the rest are of files.
      await expect.poll(() => service.heldDownloads, PATIENCE).toBe(1);
      service.releaseOneDownload();
      await first.until('the download', isDownloading);
      await first.stop();
      service.releaseDownloads();
      await using host = await fixture.start();
      await expect
        .poll(() => restores(host), PATIENCE)
        .toEqual([
          { trigger: 'resume', outcome: 'succeeded' },
          { trigger: 'person', outcome: 'interrupted' },
        ]);
      expect(fixture.differencesTo(fixture.at('back'))).toBe('');
    } finally {
      await service.close();
    }
  });

  test('is blocked when its process was killed too often', async () => {
    await using first = await fixture.start();
    const unblock = blockLastPack();
    await first.call('restore.start', request);
    await first.kill();
    for (let start = 1; start <= 3; start += 1) {
      await using host = await fixture.start();
      await host.until('that it goes on', ({ runs: [run] }) => run?.kind === 'restore');
      await host.kill();
    }
    unblock();
    await using host = await fixture.start();
    const failure = { code: 'interrupted', details: { problem: 'repeatedly' } };
    await host.until('that it stays', ({ needs }) =>
      needs.some((need) => isDeepStrictEqual(need, { ...NEED, to: request.to, failure })),
    );
    expect((await restores(host)).map(({ outcome }) => outcome)).toEqual(Array(4).fill('interrupted'));
  });

  test('is blocked when the key is missing', async () => {
    await using first = await fixture.start();
    await killedInTheMiddle(first, request);
    renameSync(fixture.at('home', 'secrets.json'), fixture.at('secrets.json'));
    await using host = await fixture.start();
    await host.until('why', ({ needs }) =>
      needs.some((need) => need.kind === 'restore-unfinished' && need.failure?.code === 'home_damaged'),
    );
    expect(await host.call('restore.waiting', {})).toMatchObject({
      stopped: request,
      failure: { code: 'home_damaged' },
    });
    await host.call('restore.forget', {});
    await host.until('that it is no longer reported', ({ needs }) =>
      needs.every(({ kind }) => kind !== 'restore-unfinished'),
    );
  });

  test('waits for a missing destination, and is blocked when its target was removed', async () => {
    await using first = await fixture.start();
    await killedInTheMiddle(first, request);
    renameSync(fixture.at('backups'), fixture.at('away'));
    renameSync(fixture.at('back'), fixture.at('elsewhere'));
    await using host = await fixture.start();
    const need = { ...NEED, to: fixture.at('back') };
    const has = (part: object) => (state: AppState) =>
      state.needs.some((one) => isDeepStrictEqual(one, { ...need, ...part }));
    const waiting = await host.until('that it waits', has({ waitsFor: fixture.at('backups') }));
    expect(waiting.runs).toEqual([]);
    renameSync(fixture.at('away'), fixture.at('backups'));
    const failure = { code: 'target_unwritable', details: { target: fixture.at('back'), problem: 'gone' } };
    const stopped = await host.until('that it stops', has({ failure }));
    expect(stopped.health).toBe('attention');
    expect(existsSync(fixture.at('back'))).toBe(false);
    expect(await restores(host)).toEqual([{ trigger: 'person', outcome: 'interrupted' }]);
    expect(await host.call('restore.waiting', {})).toEqual({ stopped: request, failure });
    // Also after the next start, until a person restores again.
    await host.kill();
    await using next = await fixture.start();
    await next.until('that it has stopped', has({ failure }));
    await next.call('restore.start', { ...request, to: fixture.at('anew') });
    await expect
      .poll(() => restores(next), PATIENCE)
      .toEqual([
        { trigger: 'person', outcome: 'succeeded' },
        { trigger: 'person', outcome: 'interrupted' },
      ]);
    await next.until('its end, and no need', isWell);
    expect(fixture.differencesTo(fixture.at('anew'))).toBe('');
  });
});

describe('a restore that waits for a backup', () => {
  test('begins after a restart, once, after the interrupted restore', async () => {
    await using first = await fixture.start();
    const unblock = blockLastPack();
    const later: RestoreRequest = { ...request, to: fixture.at('later'), conflict: 'keep-both' };
    await first.call('restore.start', request);
    await first.call('restore.later', later);
    expect(await first.call('restore.waiting', {})).toEqual({ request: later });
    await first.kill();
    unblock();
    await using host = await fixture.start();
    await expect
      .poll(() => restores(host), PATIENCE)
      .toEqual([
        { trigger: 'person', outcome: 'succeeded' },
        { trigger: 'resume', outcome: 'succeeded' },
        { trigger: 'person', outcome: 'interrupted' },
      ]);
    expect(fixture.differencesTo(fixture.at('back'))).toBe('');
    expect(fixture.differencesTo(fixture.at('later'))).toBe('');
    await host.kill();
    await expectNothingGoesOn(['succeeded', 'succeeded', 'interrupted']);
  });
});

/** Starts the host once more and expects no further restore. @param outcomes of all restores, newest first */
async function expectNothingGoesOn(outcomes: readonly string[]): Promise<void> {
  await using host = await fixture.start();
  // A backup begins after the restores that are continued.
  await fixture.backUp(host);
  expect((await restores(host)).map(({ outcome }) => outcome)).toEqual(outcomes);
  expect(host.states.flatMap(({ runs }) => runs).some(({ kind }) => kind === 'restore')).toBe(false);
}
