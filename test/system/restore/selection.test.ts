import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listEntries, listRestorePoints, type ListedEntry } from '../../../src/read/list.ts';
import { readTreeFooter } from '../../../src/read/source/tree.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { DEVICE, RestoreWorld, SET } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

function put(path: string, data: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, data);
}

/** Returns every file below a folder with its text. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  return Object.fromEntries(files) as Record<string, string>;
}

describe('restore of a selection', () => {
  test('restores a path under its own name and matches whole segments', async () => {
    put(join(world.source, 'a/b/one'), '1');
    put(join(world.source, 'a/b/c/two'), '2');
    put(join(world.source, 'a/bc/three'), '3');
    for (const privateNames of [false, true]) {
      await world.backup({ privateNames });
      const to = join(world.folder, `to ${privateNames}`);
      const report = await world.restore({ paths: [join(world.source, 'a/b')], to });
      expect(report).toMatchObject({ filesRestored: 2, failures: [], warnings: [] });
      expect(contents(to)).toEqual({ 'b/one': '1', 'b/c/two': '2' });
    }
  });

  test('ignores nested paths and distinguishes equal names when several paths are given', async () => {
    for (const path of ['a/x/1', 'b/x/2', 'b/x/y/3', 'b/file']) put(join(world.source, path), path);
    await world.backup();
    const paths = ['a/x', 'b/x', 'b/x/y', 'b/file'].map((path) => join(world.source, path));
    await world.restore({ paths });
    expect(contents(world.target)).toEqual({
      'x/1': 'a/x/1',
      'x (b)/2': 'b/x/2',
      'x (b)/y/3': 'b/x/y/3',
      file: 'b/file',
    });
  });

  test('excludes paths inside, by whole segments, except for requested paths inside those', async () => {
    for (const name of ['a/b/one', 'a/b/c/two', 'a/b/c/deep/three', 'a/bc/four', 'a/five', 'x/six'])
      put(join(world.source, name), name.slice(-3));
    const inside = (name: string): string => join(world.source, name);
    for (const privateNames of [false, true]) {
      await world.backup({ privateNames });
      const folder = join(world.folder, `out ${privateNames}`);
      const request = { paths: [inside('a')], without: [inside('a/b')], to: join(folder, 'one') };
      const plan = await world.restore({ ...request, dryRun: true });
      const report = await world.restore(request);
      expect(report).toMatchObject({ filesRestored: 2, filesSkipped: 0, failures: [], warnings: [] });
      expect([plan.filesRestored, plan.bytesWritten]).toEqual([report.filesRestored, report.bytesWritten]);
      expect(contents(request.to)).toEqual({ 'a/bc/four': 'our', 'a/five': 'ive' });
      expect(readdirSync(join(request.to, 'a')).toSorted()).toEqual(['bc', 'five']);

      const again = { paths: [inside('a'), inside('a/b/c')], without: [inside('a/b'), inside('a/b/c/deep/')] };
      await world.restore({ ...again, to: join(folder, 'two') });
      expect(contents(join(folder, 'two'))).toEqual({ 'a/b/c/two': 'two', 'a/bc/four': 'our', 'a/five': 'ive' });

      const whole = await world.restore({ without: [inside('a'), inside('nowhere')], to: join(folder, 'three') });
      expect(whole).toMatchObject({ failures: [], warnings: [] });
      expect(contents(join(folder, 'three'))).toEqual({ 'source/x/six': 'six' });
    }
  });

  test('counts existing files only when they are not excluded', async () => {
    for (const name of ['a/one', 'a/b/two']) put(join(world.source, name), name);
    await world.backup();
    await world.restore();
    writeFileSync(join(world.target, 'source/a/b/two'), 'mine');
    const request = { without: [join(world.source, 'a/b')], conflict: 'overwrite' } as const;
    const plan = await world.restore({ ...request, dryRun: true });
    expect(plan.conflicts).toEqual([join(world.target, 'source/a/one')]);
    await world.restore(request);
    expect(readFileSync(join(world.target, 'source/a/b/two'), 'utf8')).toBe('mine');
  });

  test('restores every root under its own name', async () => {
    const roots = ['one/docs', 'two/docs', 'two/pictures'].map((root) => join(world.source, root));
    for (const root of roots) put(join(root, 'file'), root);
    await world.backup({ roots });
    await world.restore();
    expect(contents(world.target)).toEqual({
      'docs/file': roots[0],
      'docs (two)/file': roots[1],
      'pictures/file': roots[2],
    });
  });

  test('restores the set as it was at the time', async () => {
    put(join(world.source, 'file'), 'first');
    await world.backup();
    const first = world.service.time;
    put(join(world.source, 'file'), 'second');
    await world.backup();
    for (const [at, text] of [
      [first, 'first'],
      [first + 1000, 'first'],
      ['latest', 'second'],
    ] as const) {
      const to = join(world.folder, `to ${at}`);
      await world.restore({ source: { at }, to });
      expect(contents(to)).toEqual({ 'source/file': text });
    }
  });

  // Restore points never go back, so all that follow one in the future are in the future too.
  test.each([
    ['lists them', ['restore_points']],
    ['has no list', []],
  ] as const)('restores the newest after a wrong clock was set back, when the service %s', async (_, offered) => {
    world.service.offered = new Set(offered);
    put(join(world.source, 'file'), 'first');
    await world.backup();
    const now = world.service.time;
    world.service.time = Date.parse('2035-01-01T00:00:00.000Z');
    world.service.now = () => now;
    put(join(world.source, 'file'), 'second');
    await world.backup();
    const report = await world.restore();
    expect(contents(world.target)).toEqual({ 'source/file': 'second' });
    expect(report).toMatchObject({ restorePoint: '2035-01-01T01:00:00.000Z', warnings: [] });
    expect((await world.verify()).restorePoint).toBe(report.restorePoint);
  });

  test('names the nearest folder when the path does not exist', async () => {
    put(join(world.source, 'a/b/one'), '1');
    put(join(world.source, 'a/c'), '2');
    await world.backup();
    const wrong = join(world.source, 'a/typo/deep');
    await expect(world.restore({ paths: [wrong] })).rejects.toMatchObject({
      code: 'path_not_found',
      details: { path: wrong, parent: join(world.source, 'a'), names: ['b', 'c'] },
    });
    await expect(world.restore({ paths: ['/elsewhere'] })).rejects.toMatchObject({ code: 'path_not_found' });
    expect(readdirSync(world.folder)).not.toContain('target');
    expect(readdirSync(join(world.folder, 'scratch'))).toEqual([]);
  });

  test('names the nearest restore points when there is none at the time', async () => {
    put(join(world.source, 'file'), 'x');
    await world.backup();
    const point = new Date(world.service.time).toISOString();
    await expect(world.restore({ source: { at: 0 } })).rejects.toMatchObject({
      code: 'no_restore_point',
      details: { nearest: [point] },
    });
    const now = new Date(world.service.time).toISOString();
    for (const offered of [[], ['restore_points']] as const) {
      world.service.offered = new Set(offered);
      await expect(world.restore({ source: { backupSet: 'unknown' } })).rejects.toMatchObject({
        code: 'no_restore_point',
        details: { nearest: [], time: now },
      });
    }
  });
});

describe('restore of a backup without a tree', () => {
  beforeEach(async () => {
    put(join(world.source, 'known'), 'text');
    await world.backup();
    const known = world.service.points[0]!.files.find((file) => file.path.endsWith('/known'));
    const modified = '2020-02-03T04:05:06.789Z';
    world.service.addPoint('foreign', [
      { path: '/data/b/two', size: 4, modified, chunks: known!.chunks },
      { path: '/data/a/one', size: 4, modified, chunks: known!.chunks },
      { path: '/data/a/empty', size: 0, modified, chunks: [] },
    ]);
  });

  test('uses default modes and the times of the manifest, and names every file', async () => {
    const report = await world.restore({ source: { backupSet: 'foreign' }, acceptUnverified: true });
    expect(report).toMatchObject({
      filesRestored: 3,
      failures: [],
      warnings: [
        { path: '/.holdfast/tree', reason: 'no-tree' },
        { path: '/data/a/empty', reason: 'unverified' },
        { path: '/data/a/one', reason: 'unverified' },
        { path: '/data/b/two', reason: 'unverified' },
      ],
    });
    expect(contents(world.target)).toEqual({ 'data/a/empty': '', 'data/a/one': 'text', 'data/b/two': 'text' });
    const stat = statSync(join(world.target, 'data/a/one'));
    expect([stat.mode & 0o7777, stat.mtimeMs]).toEqual([0o644, Date.parse('2020-02-03T04:05:06.789Z')]);
    expect(statSync(join(world.target, 'data/a')).mode & 0o7777).toBe(0o755);
    expect(await listed('/data', false, 'foreign')).toEqual(['directory /data/a', 'directory /data/b']);
    expect(await listed('/data', true, 'foreign')).toEqual([
      'directory /data/a',
      'file /data/a/empty',
      'file /data/a/one',
      'directory /data/b',
      'file /data/b/two',
    ]);
  });

  test.each([
    ['a name that decodes to parent segments', `/data/\u{10FFFD}${Buffer.from('../../out').toString('base64url')}`],
    ['a name that decodes to dots', `/data/\u{10FFFD}${Buffer.from('..').toString('base64url')}/x`],
    ['a name that decodes to nothing', '/data/\u{10FFFD}/x'],
    ['a name that needs no escape', `/data/\u{10FFFD}${Buffer.from('plain').toString('base64url')}`],
  ])('refuses %s', async (_name, path) => {
    const [, one] = world.service.points[0]!.files;
    world.service.addPoint('hostile', [
      Object.assign({}, one!, { path: '/data/fine' }),
      Object.assign({}, one!, { path }),
    ]);
    const report = await world.restore({ source: { backupSet: 'hostile' }, acceptUnverified: true });
    expect(report.failures.at(-1)).toMatchObject({ path, reason: 'target_unwritable', detail: 'EINVAL' });
    expect(contents(world.folder)['out']).toBeUndefined();
    expect(contents(world.target)).toEqual({ 'data/fine': 'text' });
  });

  test('refuses a file inside a file', async () => {
    const [, one] = world.service.points[0]!.files;
    const entries = ['/data/x/y', '/data/x', '/data/z'].map((path) => Object.assign({}, one!, { path }));
    world.service.addPoint('hostile', entries);
    const report = await world.restore({ source: { backupSet: 'hostile' }, acceptUnverified: true });
    expect(report.failures).toMatchObject([{ path: '/data/x/y', reason: 'tree_invalid' }]);
    expect(contents(world.target)).toEqual({ 'data/x': 'text', 'data/z': 'text' });
  });
});

async function listed(path: string, recursive: boolean, backupSet = SET): Promise<string[]> {
  const entries: ListedEntry[] = [];
  const source = { deviceId: DEVICE, backupSet, at: 'latest' } as const;
  for await (const batch of listEntries({ source, path, recursive }, world.dependencies)) entries.push(...batch);
  return entries.map((entry) => `${entry.type} ${entry.path}`);
}

describe('listing', () => {
  beforeEach(async () => {
    put(join(world.source, 'a/one'), '1');
    put(join(world.source, 'a/b/two'), '22');
    put(join(world.source, 'top'), '333');
    await world.backup();
  });

  test('shows direct entries', async () => {
    const s = world.source;
    expect((await listed(s, false)).sort()).toEqual([`directory ${s}/a`, `file ${s}/top`]);
    expect((await listed(`${s}/a/`, false)).sort()).toEqual([`directory ${s}/a/b`, `file ${s}/a/one`]);
    expect(await listed(`${s}/a/one`, false)).toEqual([`file ${s}/a/one`]);
    expect(await listed('', false)).toEqual([`directory ${s}`]);
    await expect(listed(`${s}/none`, false)).rejects.toMatchObject({ code: 'path_not_found' });
  });

  test('shows everything below except reserved entries', async () => {
    const s = world.source;
    const inside = [`directory ${s}/a`, `directory ${s}/a/b`, `file ${s}/a/b/two`, `file ${s}/a/one`, `file ${s}/top`];
    expect(await listed(s, true)).toEqual(inside);
    expect(await listed('/', true)).toEqual([`directory ${s}`, ...inside]);
  });

  test('takes restore points from the service, or from the catalog when the service has no list', async () => {
    const first = new Date(world.service.time).toISOString();
    await world.backup();
    const second = new Date(world.service.time).toISOString();
    const source = { deviceId: DEVICE, backupSet: SET };
    for (const offered of [[], ['restore_points']] as const) {
      world.service.offered = new Set(offered);
      const points = await listRestorePoints(source, world.dependencies);
      expect(points.map((point) => point.restore_point)).toEqual([second, first]);
    }
  });
});

describe('readTreeFooter', () => {
  test('returns the tree that the next backup continues', async () => {
    put(join(world.source, 'file'), 'x');
    const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;
    expect(await readTreeFooter(source, world.dependencies)).toBeUndefined();
    await world.backup();
    const first = await readTreeFooter(source, world.dependencies);
    await world.backup();
    const second = await readTreeFooter(source, world.dependencies);
    expect(first?.footer).toMatchObject({ sequence: 1, roots: [world.source], deviceId: DEVICE });
    expect(second?.footer).toMatchObject({ sequence: 2, previousTree: first?.footer.treeHash });
  });
});
