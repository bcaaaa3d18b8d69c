import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunKind } from '../../../../../src/model/run.ts';
import { DestinationFixture } from '../destination/destination-fixture.ts';
import type { HostProcess } from '../host-process.ts';
import { failureFrom } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../http-service.ts';
import { keepThreads } from '../../../../helpers/kept-threads.ts';

keepThreads();

let fixture: DestinationFixture;
beforeEach(() => {
  fixture = new DestinationFixture();
});
afterEach(() => fixture.close());

/** Returns the packs at the destination, the largest first. */
function packs(): readonly string[] {
  const folder = fixture.at('backups', 'packs');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.toSorted((a, b) => statSync(b).size - statSync(a).size);
}

/** Alters a byte of the largest chunk. */
function damage(pack: string): void {
  const bytes = readFileSync(pack);
  const middle = bytes.length >> 1;
  bytes[middle]! ^= 1;
  writeFileSync(pack, bytes);
}

async function ended(host: HostProcess, begun: { readonly run: number }, kind: RunKind) {
  const answer = await vi.waitFor(
    async () => {
      const shown = await host.call('activity.run', begun);
      expect(shown.run.outcome).toBeDefined();
      return shown;
    },
    { timeout: 120_000, interval: 50 },
  );
  await host.until('a state without runs', ({ runs }) => runs.length === 0);
  expect(answer.run).toMatchObject({ kind, set: '', trigger: 'person' });
  return answer;
}

describe('a check and a repair of the destination', () => {
  test('follow when the window reads a list that cannot be vouched for', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    rmSync(fixture.at('backups', 'ledger'), { recursive: true });
    await host.call('restore.points', { set: 'Documents' }).catch(() => undefined);
    const told = await host.until('the doubt', ({ needs }) => needs.length > 0);
    expect(told).toMatchObject({ health: 'at-risk', needs: [{ kind: 'points-unlisted' }] });
    const found = await ended(host, await host.call('runs.check', {}), 'check');
    expect(host.states.at(-1)!.needs).toEqual([{ kind: 'destination-damaged', run: found.run.id, isDoubtful: true }]);
    await ended(host, await host.call('runs.repair', {}), 'repair');
    await host.until('an end of the doubt', ({ needs }) => needs.length === 0);
  });

  test('name what is lost, which the next backup stores again', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    const sound = await ended(host, await host.call('runs.check', { readPercent: 100 }), 'check');
    expect(sound.run.outcome).toBe('succeeded');
    expect(sound.report).toMatchObject({
      check: { restorePoints: 1, findings: [], findingsTotal: 0, losses: [], lossesTotal: 0, isListSound: true },
    });
    expect(sound.report!.bytesTransferred).toBe(sound.report!.bytes);
    expect(host.states.at(-1)).toMatchObject({ health: 'protected', needs: [] });

    const pack = packs()[0]!;
    // The next restore point has the same file, which is one file still.
    fixture.write('0.txt', 'another text');
    await fixture.backUp(host);
    damage(pack);
    // Only what is read is found to be altered.
    const quick = await ended(host, await host.call('runs.check', {}), 'check');
    expect(quick.report).toMatchObject({ bytesTransferred: 0, check: { findingsTotal: 0, lossesTotal: 0 } });
    const found = await ended(host, await host.call('runs.check', { readPercent: 100 }), 'check');
    expect(found.run.outcome).toBe('failed');
    const lost = fixture.at('files', 'deep', 'large.bin');
    const loss = { set: 'Documents', deviceName: 'laptop', path: lost, entries: 1, isHere: true };
    const losses = [loss, loss];
    expect(found.report!.check).toMatchObject({
      findings: [{ problem: 'hash' }],
      losses,
      lossesTotal: 2,
      lostFiles: 1,
    });
    const damaged = await host.until('the need', ({ needs }) => needs.length > 0);
    expect(damaged).toMatchObject({ health: 'at-risk', needs: [{ kind: 'destination-damaged', run: found.run.id }] });
    expect(host.notices).toEqual([]);
    const { runs } = await host.call('activity.list', { kind: 'check', limit: 10 });
    expect(runs.map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded', 'succeeded']);

    // The next backup stores what is on the disk by then, which is another version if its size or its time is another one.
    const { mtimeMs } = statSync(lost);
    renameSync(lost, fixture.at('elsewhere'));
    writeFileSync(lost, 'shorter');
    const [here, other] = [true, false].map((isHere) => ({ path: lost, isHere, isOtherHere: !isHere }));
    const shown = async () => (await host.call('activity.run', { run: found.run.id })).report!.check!.losses;
    expect(await shown()).toMatchObject([other, other]);
    copyFileSync(fixture.at('elsewhere'), lost);
    utimesSync(lost, new Date(mtimeMs), new Date(mtimeMs + 2000));
    expect(await shown()).toMatchObject([other, other]);
    renameSync(fixture.at('elsewhere'), lost);
    expect(await shown()).toMatchObject([here, here]);

    renameSync(lost, fixture.at('elsewhere'));
    const repaired = await ended(host, await host.call('runs.repair', {}), 'repair');
    expect(repaired.run).toMatchObject({ outcome: 'warnings', warnings: 1 });
    expect(repaired.report!.check).toMatchObject({
      findingsTotal: 0,
      losses: [
        { path: lost, isHere: false },
        { path: lost, isHere: false },
      ],
      lostFiles: 1,
      repair: { found: 1, moved: 1, recovered: [], lost: [] },
    });
    const missing = await host.until('that content is missing', ({ health }) => health === 'attention');
    const { run } = repaired;
    expect(missing.needs).toEqual([{ kind: 'content-missing', set: 'Documents', run: run.id, files: 1, points: 0 }]);

    renameSync(fixture.at('elsewhere'), lost);
    await fixture.backUp(host);
    await host.until('that all is well', ({ health, needs }) => health === 'protected' && needs.length === 0);
    const healed = await ended(host, await host.call('runs.check', { readPercent: 100 }), 'check');
    expect(healed.report!.check).toMatchObject({ findingsTotal: 0, lossesTotal: 0, restorePoints: 3 });
    expect(await fixture.differences()).toBe('');
  });

  test('are refused during another run, and for a service', async () => {
    await using host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    const { run } = await host.call('runs.check', { readPercent: 100 });
    expect(await failureFrom(host.call('runs.repair', {}))).toMatchObject({ code: 'home_busy' });
    await ended(host, { run }, 'check');
    const service = await HttpService.open();
    try {
      const step = await host.call('setup.sign-in', { url: service.url, ...ANNA });
      if (step.kind === 'factors') {
        await host.call('setup.verify-factor', { factor: step.factors[0]!.id, code: service.code() });
      }
      service.setBack();
      await host.call('destination.begin', { choice: { kind: 'service', url: service.url } });
      for (const method of ['runs.check', 'runs.repair'] as const) {
        expect(await failureFrom(host.call(method, {}))).toMatchObject({ details: { problem: 'check-of-service' } });
      }
    } finally {
      await service.close();
    }
  });
});
