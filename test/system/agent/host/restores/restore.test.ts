import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HomeLock } from '../../../../../src/agent/home/home-lock.ts';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { restoreHandlers } from '../../../../../src/agent/host/restores/restore-handlers.ts';
import { sortKey } from '../../../../../src/agent/host/browse/restore-index.ts';
import { RestoreTree } from '../../../../../src/agent/host/browse/restore-tree.ts';
import { Restores } from '../../../../../src/agent/host/restores/restores.ts';
import { RunQueue } from '../../../../../src/agent/host/runs/run-queue.ts';
import type { EndedRun } from '../../../../../src/agent/host/runs/run-request.ts';
import { HomeSettings } from '../../../../../src/agent/host/home-settings.ts';
import { StateChanges } from '../../../../../src/agent/host/state-changes.ts';
import { resolveRestoreRequest } from '../../../../../src/agent/operations/restore/restore-request.ts';
import { restoreRequestOf } from '../../../../../src/jobs/job-request.ts';
import type { ListedEntry } from '../../../../../src/read/list.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { restoreMethods, type BrowsedEntry } from '../../../../../src/ipc/contract/restore/restore.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { keepThreads } from '../../../../helpers/kept-threads.ts';

keepThreads();

describe('the restore handlers', () => {
  const restoresIn = ({ agent, home, parts: { clock } }: HandlerFixture, queue: RunQueue): Restores =>
    new Restores({
      settings: new HomeSettings(home),
      agent,
      runs: queue,
      clock,
      catalog,
      starter: { limits: () => ({}) },
      destination: { missingPath: () => Promise.resolve(undefined) },
      changes: new StateChanges(),
    });
  let fixture: HandlerFixture;
  let ask: Call<typeof restoreMethods>;
  let catalog: CatalogAccess;
  let ended: EndedRun[];
  let runs: RunQueue;
  beforeEach(async () => {
    fixture = new HandlerFixture();
    ended = [];
    const { home, clock } = fixture.parts;
    const destination = { kind: 'folder', directory: fixture.path('backups') } as const;
    await fixture.agent.setup({ destination, deviceName: 'laptop' });
    catalog = new CatalogAccess(home, clock);
    runs = new RunQueue({ home, clock, journal: catalog, changes: new StateChanges() });
    runs.subscribe({ ended: (run) => void ended.push(run) });
    ask = fixture.ask(restoreMethods, restoreHandlers(fixture.host(runs), restoresIn(fixture, runs)));
    for (const name of ['10.txt', '9.txt', 'Zoo/a', 'alpha/deep/x', 'Äpfel/b']) fixture.write(`docs/${name}`);
    await fixture.agent.addSet({
      form: {
        name: 'docs',
        roots: [fixture.path('docs')],
        excludes: [],
        oneFileSystem: false,
        privateNames: false,
      },
    });
  });
  afterEach(() => {
    catalog[Symbol.dispose]();
    fixture.close();
  });

  const backUp = async (): Promise<string> => (await fixture.agent.backup({ set: 'docs' }, {})).restorePoint!;
  test('read the nearest destination, or the one that is chosen', async () => {
    const directory = fixture.path('second');
    const { entry } = await fixture.agent.addDestination({
      destination: { kind: 'folder', directory },
      name: 'Second',
    });
    const there = { set: 'docs', destination: entry.id };
    await fixture.agent.backup({ set: 'docs' }, {});
    fixture.write('docs/new');
    await fixture.agent.at('Second').backup({ set: 'docs' }, {});
    // The newest restore point is at the second one.
    const nearest = await ask('restore.points', { set: 'docs' });
    expect(nearest).toMatchObject({ destination: { id: entry.id, name: 'Second' }, points: [{}, {}] });
    const [first] = fixture.agent.settings()!.all;
    const atFirst = await ask('restore.points', { set: 'docs', destination: first!.id });
    expect(atFirst).toMatchObject({ destination: { id: first!.id }, points: [{}] });
    const filesAt = async (restorePoint: string, destination: string): Promise<string[]> => {
      const path = fixture.path('docs');
      const { listing } = await ask('restore.open', { set: 'docs', destination, restorePoint, path });
      await expect.poll(() => ask('restore.rows', { listing, from: 0, count: 9 })).toMatchObject({ isComplete: true });
      return (await ask('restore.rows', { listing, from: 0, count: 9 })).entries.map(({ name }) => name);
    };
    const newest = nearest.points[0]!.restorePoint;
    expect(await filesAt(newest, entry.id)).toContain('new');
    expect(await filesAt(newest, first!.id)).not.toContain('new');

    renameSync(fixture.path('backups'), fixture.path('unplugged'));
    expect(await ask('restore.sources', {})).toMatchObject({ sources: [{ set: 'docs', deviceName: 'laptop' }] });
    const request = { ...there, at: Date.parse(newest), paths: [], to: fixture.path('out') };
    await ask('restore.start', { ...request, conflict: 'skip' });
    await vi.waitFor(() => expect(ended).toHaveLength(1), { timeout: 60_000, interval: 50 });
    expect(ended[0]).toMatchObject({ outcome: 'succeeded' });
    expect(existsSync(fixture.path('out', 'docs', 'new'))).toBe(true);
    const job = catalog.read(({ journal }) => journal.get(ended[0]!.id))!;
    expect(job.destination).toBe(entry.id);
    expect(restoreRequestOf(job)).toMatchObject(request);
  });

  const browse = async (restorePoint: string, path: string): Promise<BrowsedEntry[]> => {
    const { listing } = await ask('restore.open', { set: 'docs', restorePoint, path });
    for (;;) {
      const { entries, isComplete } = await ask('restore.rows', { listing, from: 0, count: 1000 });
      if (isComplete) return entries;
      await setTimeout(20);
    }
  };

  test('list restore points with their pins, and the sets of all devices', async () => {
    expect(await ask('restore.points', { set: 'docs' })).toEqual({ points: [] });
    expect(await ask('restore.sources', {})).toEqual({ sources: [] });
    const first = await backUp();
    fixture.write('docs/new');
    const second = await backUp();
    await fixture.agent.retention({ set: 'docs', action: 'pin', at: Date.parse(first) });
    const { points } = await ask('restore.points', { set: 'docs' });
    expect(points).toMatchObject([
      { restorePoint: second, isPinned: false, files: 6 },
      { restorePoint: first, isPinned: true, files: 5 },
    ]);
    expect(await ask('restore.sources', {})).toEqual({ sources: [{ set: 'docs', deviceName: 'laptop' }] });
    const other = new HandlerFixture();
    try {
      await other.agent.setup({
        destination: { kind: 'folder', directory: fixture.path('backups') },
        deviceName: 'new',
        recoveryPhrase: await fixture.agent.recoveryPhrase(),
      });
      const call = other.ask(restoreMethods, restoreHandlers(other.host(), restoresIn(other, runs)));
      const [source] = (await call('restore.sources', {})).sources;
      const { deviceId: device } = fixture.agent.settings()!;
      expect(source).toEqual({ set: 'docs', deviceName: 'laptop', device });
      const where = { set: 'docs', device };
      expect((await call('restore.points', where)).points).toHaveLength(2);
      const { listing } = await call('restore.open', { ...where, restorePoint: first, path: '' });
      await vi.waitFor(async () => {
        const rows = await call('restore.rows', { listing, from: 0, count: 10 });
        expect(rows).toMatchObject({ total: 1, isComplete: true, entries: [{ name: 'docs', type: 'directory' }] });
      }, 60_000);
    } finally {
      other.close();
    }
  });

  test('list the folders of a restore point as they were', async () => {
    const restorePoint = await backUp();
    rmSync(fixture.path('docs', 'Zoo'), { recursive: true });
    await backUp();
    const names = async (path: string) => (await browse(restorePoint, path)).map(({ name }) => name);
    expect(await browse(restorePoint, '')).toMatchObject([{ path: fixture.path('docs'), name: 'docs' }]);
    expect(await names(fixture.path('docs'))).toEqual(['alpha', 'Äpfel', 'Zoo', '9.txt', '10.txt']);
    expect(await names(`${fixture.path('docs', 'alpha')}/`)).toEqual(['deep']);
    const [file] = await browse(restorePoint, fixture.path('docs', 'Zoo'));
    expect(file).toMatchObject({ type: 'file', size: 'docs/Zoo/a'.length, path: fixture.path('docs', 'Zoo', 'a') });
    const nowhere = browse(restorePoint, fixture.path('docs', 'none'));
    expect(await failureFrom(nowhere)).toMatchObject({ code: 'path_not_found' });
    const never = browse('2001-01-01T00:00:00.000Z', '');
    expect(await failureFrom(never)).toMatchObject({ code: 'no_restore_point' });
  });

  test('keep only the newest folders open, and leave no files behind', async () => {
    const restorePoint = await backUp();
    const open = (path: string) => ask('restore.open', { set: 'docs', restorePoint, path });
    const { listing } = await open('');
    const rows = () => ask('restore.rows', { listing, from: 0, count: 10 });
    for (const name of ['docs', 'docs/Zoo', 'docs/alpha']) await open(fixture.path(name));
    // The listing in use stays open.
    await rows();
    await open(fixture.path('docs', 'Zoo'));
    await rows();
    for (const name of ['docs', 'docs/Zoo', 'docs/alpha', 'docs/alpha/deep']) await open(fixture.path(name));
    expect(await failureFrom(rows())).toMatchObject({ code: 'refused' });
    expect(readdirSync(fixture.home.scratchFolder)).toEqual([]);
  });

  test('plan a restore without writing, and execute it as a run', async () => {
    const restorePoint = await backUp();
    const to = fixture.path('back');
    const request = {
      set: 'docs',
      at: Date.parse(restorePoint),
      paths: [fixture.path('docs', 'Zoo'), fixture.path('docs', '9.txt')],
      to,
    };
    const plan = await ask('restore.plan', request);
    expect(plan).toMatchObject({ files: 2, bytes: 'docs/Zoo/a'.length + 'docs/9.txt'.length, conflicts: [] });
    expect(plan.freeBytes).toBeGreaterThan(0);
    expect(existsSync(to)).toBe(false);
    const { run } = await ask('restore.start', request);
    await vi.waitFor(() => expect(ended).toMatchObject([{ id: run, kind: 'restore', outcome: 'succeeded' }]), 60_000);
    expect(readFileSync(join(to, 'Zoo', 'a'), 'utf8')).toBe('docs/Zoo/a');
    const again = await ask('restore.plan', request);
    expect(again.conflicts.toSorted()).toEqual([join(to, '9.txt'), join(to, 'Zoo', 'a')]);
    const whole = await ask('restore.plan', { ...request, paths: [], to: fixture.path('whole') });
    expect(whole.files).toBe(5);
  });

  test('leave out excluded paths in the plan and in the run, and return the request from the journal', async () => {
    const restorePoint = await backUp();
    const request = {
      set: 'docs',
      at: Date.parse(restorePoint),
      paths: [fixture.path('docs')],
      without: [fixture.path('docs', 'alpha'), fixture.path('docs', '9.txt')],
      to: fixture.path('back'),
      conflict: 'skip',
    } as const;
    const plan = await ask('restore.plan', { ...request, paths: [...request.paths], without: [...request.without] });
    expect(plan).toMatchObject({ files: 3, conflicts: [], conflictsTotal: 0 });
    const { run } = await ask('restore.start', {
      ...request,
      paths: [...request.paths],
      without: [...request.without],
    });
    await vi.waitFor(() => expect(ended).toMatchObject([{ id: run, outcome: 'succeeded' }]), 60_000);
    expect(readdirSync(join(request.to, 'docs')).toSorted()).toEqual(['10.txt', 'Zoo', 'Äpfel']);
    const { deviceId } = fixture.agent.settings()!;
    const recorded = restoreRequestOf(catalog.read(({ journal }) => journal.get(run))!);
    expect(recorded).toEqual(request);
    // The person may name this computer, too.
    expect(resolveRestoreRequest({ ...request, device: deviceId }, deviceId)).toEqual(request);
    expect(resolveRestoreRequest({ ...request, device: 'other' }, deviceId)).toEqual({ ...request, device: 'other' });
  });

  test('browse and plan while another run is active, and begin a postponed restore when it has ended', async () => {
    const restorePoint = await backUp();
    const to = fixture.path('back');
    const request = { set: 'docs', at: Date.parse(restorePoint), paths: [], to };
    const { home, clock } = fixture.parts;
    const lock = HomeLock.acquire(home, 'backup docs', clock.now());
    try {
      expect(await ask('restore.plan', request)).toMatchObject({ files: 5, conflicts: [] });
      expect(await browse(restorePoint, '')).toHaveLength(1);
      expect(await failureFrom(ask('restore.start', request))).toMatchObject({
        code: 'home_busy',
        details: { command: 'backup docs' },
      });
    } finally {
      lock.release();
    }
    const gate = Promise.withResolvers<void>();
    await runs.start({ kind: 'backup', set: 'docs', trigger: 'schedule' }, async ({ onJob }) => {
      onJob!(
        catalog.read(({ journal }) =>
          journal.queue({ kind: 'backup', backupSet: 'docs', destination: 'sole' }, clock.now()),
        ),
      );
      await gate.promise;
    });
    expect(await failureFrom(ask('restore.start', request))).toMatchObject({ code: 'home_busy' });
    await ask('restore.later', { ...request, to: fixture.path('elsewhere') });
    await ask('restore.later', request);
    expect(await ask('restore.waiting', {})).toEqual({ request });
    gate.resolve();
    await vi.waitFor(
      () => expect(ended).toMatchObject([{ kind: 'backup' }, { kind: 'restore', outcome: 'succeeded' }]),
      60_000,
    );
    expect(readFileSync(join(to, 'docs', 'Zoo', 'a'), 'utf8')).toBe('docs/Zoo/a');
    expect(existsSync(fixture.path('elsewhere'))).toBe(false);
    expect(await ask('restore.waiting', {})).toEqual({});
  });

  test('withdraw a postponed restore that is dismissed, and block one that cannot begin', async () => {
    const restorePoint = await backUp();
    const request = { set: 'docs', at: Date.parse(restorePoint), paths: [], to: fixture.path('back') };
    const gate = Promise.withResolvers<void>();
    const busy = { kind: 'backup', set: 'docs', trigger: 'schedule' } as const;
    const work = async ({ onJob }: { onJob?: (id: number) => void }): Promise<void> => {
      onJob!(
        catalog.read(({ journal }) =>
          journal.queue({ kind: 'backup', backupSet: 'docs', destination: 'sole' }, fixture.parts.clock.now()),
        ),
      );
      await gate.promise;
    };
    const first = await runs.start(busy, work);
    await ask('restore.later', request);
    await ask('restore.forget', {});
    gate.resolve();
    await first.ended;
    expect(await ask('restore.waiting', {})).toEqual({});
    const second = await runs.start(busy, work);
    await ask('restore.later', { ...request, set: 'nowhere' });
    await second.ended;
    await vi.waitFor(async () => expect((await ask('restore.waiting', {})).failure?.code).toBe('set_unknown'), 60_000);
    expect(existsSync(request.to)).toBe(false);
    expect(ended.map(({ kind }) => kind)).toEqual(['backup', 'backup']);
  });

  test('refuse a restore with conflicts and without a choice before it begins', async () => {
    const restorePoint = await backUp();
    const request = {
      set: 'docs',
      at: Date.parse(restorePoint),
      paths: [fixture.path('docs', '9.txt')],
      to: fixture.path('back'),
    };
    fixture.write('back/9.txt', 'mine');
    expect(await failureFrom(ask('restore.start', request))).toMatchObject({
      code: 'target_conflict',
      details: { total: 1, conflicts: [fixture.path('back', '9.txt')] },
    });
    expect(catalog.read(({ journal }) => journal.list({ kind: 'restore' }, 10))).toEqual([]);
    await ask('restore.start', { ...request, conflict: 'skip' });
    await vi.waitFor(() => expect(ended).toMatchObject([{ kind: 'restore', outcome: 'succeeded' }]), 60_000);
    expect(readFileSync(fixture.path('back', '9.txt'), 'utf8')).toBe('mine');
  });

  test('find the selected paths in another restore point, with the totals of folders', async () => {
    const first = await backUp();
    fixture.write('docs/alpha/new', 'new');
    rmSync(fixture.path('docs', 'Zoo'), { recursive: true });
    const second = await backUp();
    const paths = ['Zoo', 'Zoo/a', 'alpha', 'alpha/new', '9.txt', 'none'].map((name) => fixture.path('docs', name));
    const found = async (restorePoint: string): Promise<object> => {
      const { entries } = await ask('restore.find', {
        set: 'docs',
        restorePoint,
        paths: [...paths, fixture.path('docs')],
      });
      return Object.fromEntries(entries.map(({ name, within, size }) => [name, within ?? size]));
    };
    expect(await found(first)).toEqual({
      docs: { files: 5, bytes: 61 },
      Zoo: { files: 1, bytes: 10 },
      a: 10,
      alpha: { files: 1, bytes: 17 },
      '9.txt': 10,
    });
    expect(await found(second)).toEqual({
      docs: { files: 5, bytes: 54 },
      alpha: { files: 2, bytes: 20 },
      new: 3,
      '9.txt': 10,
    });
    const [top] = await browse(second, '');
    expect(top!.within).toEqual({ files: 5, bytes: 54 });
  });

  test('refuse a target inside a source, or one that cannot be written, before writing', async () => {
    const restorePoint = await backUp();
    const plan = (to: string) => ask('restore.plan', { set: 'docs', at: Date.parse(restorePoint), paths: [], to });
    expect(await failureFrom(plan(fixture.path('docs', 'in')))).toMatchObject({ code: 'target_inside_source' });
    expect(await failureFrom(plan(fixture.path('backups')))).toMatchObject({ code: 'usage' });
    const readOnly = await ask('restore.start', {
      set: 'docs',
      at: Date.parse(restorePoint),
      paths: [],
      to: '/proc/back',
    });
    await vi.waitFor(
      () => expect(ended).toMatchObject([{ id: readOnly.run, failure: { code: 'target_unwritable' } }]),
      60_000,
    );
  });

  const canMount = process.platform === 'linux' && process.getuid?.() === 0;
  test.skipIf(!canMount)('refuse a full disk before writing', async () => {
    fixture.write('docs/large', Buffer.alloc(2 * 1024 * 1024, 7));
    const restorePoint = await backUp();
    const to = fixture.path('disk');
    mkdirSync(to);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', to]);
    try {
      const request = { set: 'docs', at: Date.parse(restorePoint), paths: [], to };
      const { bytes, freeBytes } = await ask('restore.plan', request);
      expect(bytes).toBeGreaterThan(freeBytes!);
      await ask('restore.start', request);
      await vi.waitFor(() => expect(ended).toMatchObject([{ failure: { code: 'target_full' } }]), 60_000);
      expect(readdirSync(to)).toEqual([]);
    } finally {
      execFileSync('umount', [to]);
    }
  });
});

const BY_NAME = { by: 'name', isDescending: false } as const;

describe('a restore tree', () => {
  let scratch: string;
  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'holdfast-browse-'));
  });
  afterEach(() => rmSync(scratch, { recursive: true, force: true }));

  const entry = (path: string, type: ListedEntry['type'] = 'file'): ListedEntry => ({
    path,
    type,
    size: 1,
    modified: '2026-01-01T00:00:00.000Z',
  });

  test('shows the entries read so far, and never moves a row', async () => {
    const gate = Promise.withResolvers<void>();
    const tree = new RestoreTree(scratch, async function* () {
      yield [entry('/a', 'directory'), entry('/a/z1', 'directory'), entry('/a/z1/x')];
      yield [entry('/a/z10')];
      await gate.promise;
      yield [entry('/a/z2', 'directory'), entry('/b')];
    });
    const names = async (listing: number, path: string) => {
      const { entries, total, isComplete } = tree.rows(listing, path, 0, 100);
      return [entries.map(({ name }) => name), total, isComplete];
    };
    const reading = await tree.open('/a', BY_NAME, 50);
    await vi.waitFor(async () => expect(await names(reading, '/a')).toEqual([['z1', 'z10'], 2, false]), 60_000);
    // A folder before the last path is complete.
    expect(await names(await tree.open('/a/z1', BY_NAME, 5_000), '/a/z1')).toEqual([['x'], 1, true]);
    gate.resolve();
    const whole = await tree.open('/a', BY_NAME, 60_000);
    expect(await names(whole, '/a')).toEqual([['z1', 'z2', 'z10'], 3, true]);
    expect(await names(reading, '/a')).toEqual([['z1', 'z10', 'z2'], 3, true]);
    expect(await names(await tree.open('', BY_NAME, 60_000), '')).toEqual([['a', 'b'], 2, true]);
    tree.close();
  });

  test('sorts by name, size and time in both directions, with folders first', async () => {
    const tree = new RestoreTree(scratch, async function* () {
      const of = (path: string, size: number, day: number, type: ListedEntry['type'] = 'file'): ListedEntry => ({
        path,
        type,
        size,
        modified: `2026-01-0${day}T00:00:00.000Z`,
      });
      yield [
        of('/a', 0, 1, 'directory'),
        of('/a/large', 0, 2, 'directory'),
        of('/a/large/x', 50, 1),
        of('/a/old', 7, 1),
        of('/a/new', 3, 9),
        of('/a/small', 0, 3, 'directory'),
        of('/a/small/y', 2, 1),
        of('/a/twin', 7, 5),
      ].toSorted((one, other) => (one.path < other.path ? -1 : 1));
    });
    const names = async (by: 'name' | 'size' | 'modified', isDescending: boolean): Promise<string> => {
      const listing = await tree.open('/a', { by, isDescending }, 60_000);
      const { entries, isSorted } = tree.rows(listing, '/a', 0, 100);
      expect(isSorted).toBe(true);
      return entries.map(({ name }) => name).join(' ');
    };
    expect(await names('name', false)).toBe('large small new old twin');
    expect(await names('name', true)).toBe('small large twin old new');
    expect(await names('size', false)).toBe('small large new old twin');
    expect(await names('size', true)).toBe('large small old twin new');
    expect(await names('modified', false)).toBe('large small old twin new');
    expect(await names('modified', true)).toBe('small large new twin old');
    tree.close();
  });

  test('reports the error that ended the reading', async () => {
    const tree = new RestoreTree(scratch, async function* () {
      yield [entry('/a', 'directory')];
      throw new RangeError('the wire was cut');
    });
    await expect(tree.open('', BY_NAME, 60_000)).rejects.toThrow('the wire was cut');
    tree.close();
  });

  test('jumps to a name in any case, from a row on, and wraps around', async () => {
    const tree = new RestoreTree(scratch, async function* () {
      yield [entry('/a', 'directory')];
      yield Array.from({ length: 30_000 }, (_value, index) => entry(`/a/IMG_${String(index).padStart(5, '0')}.jpg`));
      yield [entry('/a/Zebra'), entry('/a/äpfel')];
    });
    const listing = await tree.open('/a', BY_NAME, 120_000);
    expect(tree.rows(listing, '/a', 0, 1).entries[0]!.name).toBe('äpfel');
    expect(tree.jump(listing, 'img_2', 0)).toBe(20_001);
    expect(tree.jump(listing, 'img_2', 25_000)).toBe(25_000);
    expect(tree.jump(listing, 'ÄPF', 29_000)).toBe(0);
    expect(tree.jump(listing, 'z', 5)).toBe(30_001);
    expect(tree.jump(listing, 'nothing', 5)).toBeUndefined();
    tree.close();
  });

  test('returns rows by position', async () => {
    const count = 100_000;
    const tree = new RestoreTree(scratch, async function* () {
      yield [entry('/a', 'directory')];
      // In byte order, as the engine returns them.
      const all = Array.from({ length: count }, (_value, index) => `/a/file ${index}`).sort();
      for (let start = 0; start < count; start += 5_000)
        yield all.slice(start, start + 5_000).map((path) => entry(path));
    });
    const listing = await tree.open('/a', BY_NAME, 120_000);
    for (const from of [0, 54_321, count - 3]) {
      const { entries, total } = tree.rows(listing, '/a', from, 500);
      expect(total).toBe(count);
      expect(entries[0]!.name).toBe(`file ${from}`);
      expect(entries).toHaveLength(Math.min(500, count - from));
    }
    expect(tree.rows(listing, '/a', count, 10).entries).toEqual([]);
    tree.close();
  });

  test('sorts numbers by value', () => {
    const names = ['a2', 'A10', 'a1', 'b', 'Äa', 'z', '_x', '2', '10', 'a02b', 'a2c'];
    const sorted = names.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    expect(sorted).toEqual(['2', '10', '_x', 'a1', 'a2', 'a02b', 'a2c', 'A10', 'Äa', 'b', 'z']);
  });
});
