import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { homeAt } from '../../../../../src/agent/home/home.ts';
import { loadSettings } from '../../../../../src/agent/home/settings.ts';
import { FolderSnapshot } from '../../../../helpers/folder-snapshot.ts';
import { DestinationFixture } from './destination-fixture.ts';
import { HostProcess } from '../host-process.ts';
import { orThorough } from '../../../../helpers/thorough.ts';

const KILLED_AT = pathToFileURL(join(import.meta.dirname, 'killed-at.ts')).href;

let fixture: DestinationFixture;
let rounds = 0;

type Change = (host: HostProcess) => Promise<unknown>;

/** Makes a change in a process that is killed in the middle. @param moment `before` or `after`, and a file's name */
async function killedDuring(moment: string, change: Change): Promise<void> {
  await using host = new HostProcess(fixture.at('home'), {
    NODE_OPTIONS: `--import=${KILLED_AT}`,
    HOLDFAST_TEST_KILLED_AT: moment,
  });
  await host.ready;
  await expect(change(host)).rejects.toThrow('the host has ended');
}

/** Expects that the next process has one destination with restorable backups. */
async function expectBackupsAt(name: string): Promise<void> {
  await using host = await fixture.start();
  const location = fixture.at(name);
  await host.until(`backups at ${name}`, ({ destination, damage }) => destination?.location === location && !damage);
  expect(loadSettings(homeAt(fixture.at('home')))!.destination).toEqual({ kind: 'folder', directory: location });
  rounds += 1;
  fixture.write('0.txt', `round ${rounds}`);
  await fixture.backUp(host);
  const { points } = await host.call('restore.points', { set: 'Documents' });
  const to = fixture.at(`back ${rounds}`);
  const { run } = await host.call('restore.start', {
    set: 'Documents',
    at: Date.parse(points[0]!.restorePoint),
    paths: [],
    to,
  });
  await expect
    .poll(async () => (await host.call('activity.run', { run })).run.outcome, { timeout: 60_000, interval: 100 })
    .toBe('succeeded');
  expect(fixture.differencesTo(to)).toBe('');
  // An unfinished file may contain keys.
  expect(readdirSync(fixture.at('home')).filter((file) => file.endsWith('.new'))).toEqual([]);
}

describe('an agent that is killed while its destination changes', () => {
  let backedUp: FolderSnapshot;
  beforeAll(async () => {
    fixture = new DestinationFixture();
    const host = await fixture.start();
    await fixture.setUp(host);
    await fixture.backUp(host);
    await host.stop();
    backedUp = new FolderSnapshot(fixture.folder);
  });
  beforeEach(() => backedUp.restore());
  afterAll(() => {
    fixture.close();
    backedUp[Symbol.dispose]();
  });

  const begin: Change = (host) => host.call('destination.begin', { choice: fixture.folderChoice('second') });
  const goBack: Change = async (host) => {
    const { destinations } = await host.call('destination.former', {});
    return host.call('destination.return', { leftAt: destinations[0]!.leftAt });
  };

  test.each([
    ...orThorough([], [['before holdfast.json', 'before secrets.json'], ['before settings.json.bak']]),
    ['after secrets.json'],
    ['before settings.json'],
  ])('keeps the former destination until the settings name the new one (%s)', async (...moments) => {
    for (const moment of moments) {
      await killedDuring(moment, begin);
      await expectBackupsAt('backups');
    }
  });

  test('uses the new destination from then on', async () => {
    await killedDuring('after settings.json', begin);
    await expectBackupsAt('second');
  });

  test('uses the right destination when it returns to a former one', async () => {
    {
      await using host = await fixture.start();
      await begin(host);
      await fixture.backUp(host);
    }
    await killedDuring('before settings.json', goBack);
    await expectBackupsAt('second');
    await killedDuring('after settings.json', goBack);
    await expectBackupsAt('backups');
  });

  test('uses the right destination when its backups have moved', async () => {
    const move: Change = (host) => host.call('destination.move', { choice: fixture.folderChoice('moved') });
    renameSync(fixture.at('backups'), fixture.at('moved'));
    await killedDuring('before settings.json', move);
    renameSync(fixture.at('moved'), fixture.at('backups'));
    await expectBackupsAt('backups');
    renameSync(fixture.at('backups'), fixture.at('moved'));
    await killedDuring('after settings.json', move);
    await expectBackupsAt('moved');
  });
});
