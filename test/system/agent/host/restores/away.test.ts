import { renameSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { HomeSettings } from '../../../../../src/agent/host/home-settings.ts';
import { contentHandlers } from '../../../../../src/agent/host/restores/content-handlers.ts';
import { restoreHandlers } from '../../../../../src/agent/host/restores/restore-handlers.ts';
import { Restores } from '../../../../../src/agent/host/restores/restores.ts';
import { RunQueue } from '../../../../../src/agent/host/runs/run-queue.ts';
import { StateChanges } from '../../../../../src/agent/host/state-changes.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { privateContentMethods } from '../../../../../src/ipc/contract/restore/preview.ts';
import { restoreMethods, type BrowsedEntry } from '../../../../../src/ipc/contract/restore/restore.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

// The database of this computer has the names, sizes and times of all restore points.
describe('while the destination is away', () => {
  let fixture: HandlerFixture;
  let ask: Call<typeof restoreMethods>;
  let catalog: CatalogAccess;
  let first: string;
  let second: string;

  beforeEach(async () => {
    fixture = new HandlerFixture();
    const { home, clock } = fixture.parts;
    const destination = { kind: 'folder', directory: fixture.path('backups') } as const;
    await fixture.agent.setup({ destination, deviceName: 'laptop' });
    catalog = new CatalogAccess(home, clock);
    ask = handlersOf();
    for (const name of ['10.txt', '9.txt', 'Zoo/a', 'alpha/deep/x', 'alpha.txt']) fixture.write(`docs/${name}`);
    fixture.write('notes.md', 'a root of its own');
    await fixture.agent.addSet({
      form: {
        name: 'docs',
        roots: [fixture.path('docs'), fixture.path('notes.md')],
        excludes: [],
        oneFileSystem: false,
        privateNames: false,
      },
    });
    first = await backUp();
    fixture.write('docs/alpha/new', 'twelve bytes');
    rmSync(fixture.path('docs/9.txt'));
    second = await backUp();
  });
  afterEach(() => {
    catalog[Symbol.dispose]();
    fixture.close();
  });

  const handlersOf = (): Call<typeof restoreMethods> => {
    const { agent, home, parts } = fixture;
    const runs = new RunQueue({ home, clock: parts.clock, journal: catalog, changes: new StateChanges() });
    const restores = new Restores({
      settings: new HomeSettings(home),
      agent,
      runs,
      clock: parts.clock,
      catalog,
      starter: { limits: () => ({}) },
      destination: { missingPath: () => Promise.resolve(undefined) },
      changes: new StateChanges(),
    });
    return fixture.ask(restoreMethods, restoreHandlers(fixture.host(runs), restores));
  };
  const backUp = async (): Promise<string> => (await fixture.agent.backup({ set: 'docs' }, {})).restorePoint!;
  const unplug = (): void => renameSync(fixture.path('backups'), fixture.path('unplugged'));
  const plugIn = (): void => renameSync(fixture.path('unplugged'), fixture.path('backups'));
  const browse = async (restorePoint: string, path: string): Promise<BrowsedEntry[]> => {
    const { listing } = await ask('restore.open', { set: 'docs', restorePoint, path });
    for (;;) {
      const { entries, isComplete } = await ask('restore.rows', { listing, from: 0, count: 1000 });
      if (isComplete) return entries;
      await setTimeout(20);
    }
  };
  /** Everything that a restore point shows, folder by folder. */
  const browseAll = async (restorePoint: string, path = ''): Promise<BrowsedEntry[]> => {
    const entries = await browse(restorePoint, path);
    const below: BrowsedEntry[] = [];
    for (const entry of entries) {
      if (entry.type === 'directory') below.push(...(await browseAll(restorePoint, entry.path)));
    }
    return [...entries, ...below];
  };

  test('lists the same restore points, folders, sizes and times, and says why', async () => {
    const sources = await ask('restore.sources', {});
    const listed = await ask('restore.points', { set: 'docs' });
    expect(listed.away).toBeUndefined();
    const before = [await browseAll(first), await browseAll(second)];
    expect(before[1]!.map(({ name }) => name)).toContain('new');
    unplug();
    // A new thread has nothing of what was read before.
    ask = handlersOf();
    expect(await ask('restore.sources', {})).toEqual(sources);
    const known = await ask('restore.points', { set: 'docs' });
    const { id, name } = fixture.agent.settings()!.all[0]!;
    expect(known.away).toMatchObject({ destination: { id, name }, failure: { code: 'destination_missing' } });
    expect(known.points).toEqual(listed.points.map(({ isPinned: _isPinned, ...point }) => point));
    expect([await browseAll(first), await browseAll(second)]).toEqual(before);
    const { entries } = await ask('restore.find', {
      set: 'docs',
      restorePoint: first,
      paths: [fixture.path('docs/9.txt'), fixture.path('docs/alpha/new')],
    });
    expect(entries.map((entry) => entry.name)).toEqual(['9.txt']);
    // Nothing that is not there is made up.
    expect(await failureFrom(browse(first, fixture.path('docs/absent')))).toMatchObject({ code: 'path_not_found' });
    plugIn();
    expect((await ask('restore.points', { set: 'docs' })).away).toBeUndefined();
  });

  test('says for contents and other times that the destination is missing', async () => {
    unplug();
    const read = fixture.ask(privateContentMethods, contentHandlers(fixture.host()));
    const file = { set: 'docs', restorePoint: second, path: fixture.path('docs/alpha/new') };
    expect(await failureFrom(read('content.read', { file, most: 1_000 }))).toMatchObject({
      code: 'destination_missing',
    });
    // A restore point that is not known here is not shown as another one.
    const later = new Date(Date.parse(second) + 3_600_000).toISOString();
    expect(await failureFrom(browse(later, ''))).toMatchObject({ code: 'destination_missing' });
    expect(await failureFrom(ask('restore.points', { set: 'unknown' }))).toMatchObject({ code: 'destination_missing' });
  });

  test('fails as before without a history', async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(fixture.home.historyFile + suffix, { force: true });
    unplug();
    expect(await failureFrom(ask('restore.sources', {}))).toMatchObject({ code: 'destination_missing' });
    expect(await failureFrom(ask('restore.points', { set: 'docs' }))).toMatchObject({ code: 'destination_missing' });
  });

  test('adds the sets of one that is away to those of the others', async () => {
    const { entry } = await fixture.agent.addDestination({
      destination: { kind: 'folder', directory: fixture.path('second') },
      name: 'Second',
    });
    unplug();
    expect(await ask('restore.sources', {})).toEqual({ sources: [{ set: 'docs', deviceName: 'laptop' }] });
    expect(await ask('restore.sources', { destination: entry.id })).toEqual({ sources: [] });
  });
});
