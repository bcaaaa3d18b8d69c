import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyOfName, nameRulesAt } from '../../../src/restore/conflicts/name-rules.ts';
import type { RestoreReport } from '../../../src/restore/types.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { replacedFs } from '../../helpers/replaced-fs.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
let upper: string;
beforeEach(() => {
  world = new RestoreWorld(pool);
  upper = join(world.folder, 'TARGET');
});
afterEach(() => {
  spawnSync('umount', [join(world.target, 'DATA')]);
  spawnSync('umount', [upper]);
  world[Symbol.dispose]();
});
afterAll(() => pool.close());

/** Adds a restore point with files of other systems, each with its path as content. */
async function addPoint(paths: readonly string[]): Promise<void> {
  for (const [index, path] of paths.entries()) writeFileSync(join(world.source, String(index)), path);
  await world.backup();
  const files = new Map(world.service.points[0]!.files.map((file) => [file.path, file]));
  const withPath = (path: string, index: number) => ({ ...files.get(join(world.source, String(index)))!, path });
  world.service.addPoint('other', paths.map(withPath));
}

function restore(request: Parameters<RestoreWorld['restore']>[0] = {}): Promise<RestoreReport> {
  return world.restore({ source: { backupSet: 'other' }, acceptUnverified: true, paths: ['/data'], ...request });
}

/** True if this process may make bind mounts: root, outside of most containers. */
function canBind(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bind-'));
  const bound = spawnSync('mount', ['--bind', folder, folder]).status === 0;
  if (bound) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return bound;
}

describe('names that the target does not take', () => {
  test('are in the plan, with everything in such a folder, and fail without preventing the others', async () => {
    // 200 units on Windows are 600 bytes here.
    const long = '報'.repeat(200);
    await addPoint([`/data/${long}/one`, `/data/${long}/two`, `/data/${long}.txt`, '/data/fine']);
    const planned = await restore({ dryRun: true });
    const problem = { kind: 'too-long', becomes: 'not-restored' };
    expect(planned.names).toMatchObject({
      named: [
        { path: `/data/${long}`, ...problem },
        { path: `/data/${long}.txt`, ...problem },
      ],
      total: 2,
      filesNotRestored: 3,
    });
    expect(planned).toMatchObject({ filesRestored: 1, bytesWritten: '/data/fine'.length });
    expect(existsSync(world.target)).toBe(false);
    const report = await restore();
    expect(report).toMatchObject({ filesRestored: 1, filesFailed: 4 });
    expect(new Set(report.failures.map(({ detail }) => detail))).toEqual(new Set(['ENAMETOOLONG']));
    expect(readFileSync(join(world.target, 'data', 'fine'), 'utf8')).toBe('/data/fine');
  });

  test('are in the plan if they could lead out of a folder', async () => {
    await addPoint(['/data/\u{10FFFD}Li4vb3V0', '/data/fine']);
    const { names, filesRestored } = await restore({ dryRun: true });
    expect(names).toMatchObject({ named: [{ kind: 'invalid', becomes: 'not-restored' }], filesNotRestored: 1 });
    expect(filesRestored).toBe(1);
  });

  test('are no problem where each spelling is another file', async () => {
    await addPoint(['/data/A', '/data/a', '/data/\u00e9', '/data/e\u0301']);
    expect(await restore({ dryRun: true })).toMatchObject({ names: { total: 0 }, filesRestored: 4 });
    expect(await restore()).toMatchObject({ filesRestored: 4, failures: [] });
  });
});

/** Simulates the disks of macOS and Windows by a bind mount: the target folder has two spellings. */
describe.skipIf(!canBind())('names that are one on the target', () => {
  beforeEach(() => {
    for (const folder of [world.target, upper]) mkdirSync(folder);
    expect(spawnSync('mount', ['--bind', world.target, upper]).status).toBe(0);
  });

  test('are in the plan, and the second file is put beside the first', async () => {
    const paths = ['/data/Docs/x', '/data/a.txt', '/data/A.txt', '/data/a.TXT', '/data/docs/x', '/data/docs/y'];
    await addPoint(paths);
    const { names, filesRestored } = await restore({ dryRun: true });
    expect(filesRestored).toBe(6);
    expect(names).toMatchObject({ total: 4, filesNotRestored: 0 });
    const becomes = Object.fromEntries(names.named.map((problem) => [problem.path, problem.becomes]));
    expect(becomes).toEqual({
      '/data/a.TXT': 'beside',
      '/data/a.txt': 'beside',
      '/data/docs': 'merged',
      '/data/docs/x': 'beside',
    });
    expect(readdirSync(world.target)).toEqual([]);

    expect(await restore()).toMatchObject({ filesRestored: 6, failures: [] });
    const texts = ['.', 'Docs', 'docs']
      .flatMap((folder) => readdirSync(join(world.target, 'data', folder), { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(new Set(texts)).toEqual(new Set(paths));
    const spellings = readdirSync(join(world.target, 'data')).filter((name) => /^a/i.test(name));
    expect(new Set(spellings.map((name) => name.toLowerCase())).size).toBe(3);
  });
});

/** What is in the target, with contents. */
function found(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${join(entry.parentPath, entry.name)} ${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .toSorted();
}

describe.skipIf(!canBind())('names that are one on the target, restored again', () => {
  beforeEach(async () => {
    for (const folder of [world.target, upper]) mkdirSync(folder);
    expect(spawnSync('mount', ['--bind', world.target, upper]).status).toBe(0);
    await addPoint(['/data/Docs/x', '/data/a.txt', '/data/A.txt', '/data/a.TXT', '/data/docs/x', '/data/docs/y']);
    expect(await restore()).toMatchObject({ filesRestored: 6, failures: [] });
    // A folder that exists is asked itself.
    mkdirSync(join(world.target, 'DATA'));
    expect(spawnSync('mount', ['--bind', join(world.target, 'data'), join(world.target, 'DATA')]).status).toBe(0);
  });

  test.each(['skip', 'keep-both'] as const)(
    'are there already, also those beside: nothing is made a second time with %s',
    async (conflict) => {
      const before = found(join(world.target, 'data'));
      expect(before).toHaveLength(6);
      for (let run = 0; run < 2; run += 1) {
        expect((await restore({ conflict })).failures).toEqual([]);
        expect(found(join(world.target, 'data'))).toEqual(before);
      }
    },
  );

  test('are put beside once more if what is beside has changed', async () => {
    const before = found(join(world.target, 'data'));
    const beside = readdirSync(join(world.target, 'data')).find((name) => name.includes('(restored'));
    writeFileSync(join(world.target, 'data', beside!), 'mine');
    await restore({ conflict: 'skip' });
    const now = found(join(world.target, 'data'));
    expect(now).toHaveLength(before.length + 1);
    expect(now.filter((one) => one.endsWith(' mine'))).toHaveLength(1);
    // The new one is found by the next run.
    await restore({ conflict: 'skip' });
    expect(found(join(world.target, 'data'))).toEqual(now);
  });
});

describe('the rules of a file system', () => {
  test('are those of Linux here: 255 bytes, and each spelling is a name', () => {
    writeFileSync(join(world.source, 'Größe'), '');
    expect(nameRulesAt(world.source)).toEqual({ foldsCase: false, foldsForms: false, longestName: 255 });
  });

  test.each([
    ['Größe', 'GRÖSSE', true, true, true],
    ['Größe', 'gro\u0308ße', true, false, false],
    ['é', 'e\u0301', false, true, true],
    ['A', 'a', true, false, true],
    ['A', 'a', false, true, false],
  ])('%s and %s are one if case %s and forms %s are folded: %s', (one, other, foldsCase, foldsForms, isOne) => {
    const rules = { foldsCase, foldsForms, longestName: 255 };
    expect(keyOfName(one, rules) === keyOfName(other, rules)).toBe(isOne);
  });
});

// FUSE without numbers of its own does that.
test.each([
  ['one file that is listed once', false],
  ['two files', true],
])('names in two spellings that have different numbers are %s', (_, areTwo) => {
  const folder = join(world.folder, 'FOLDED');
  mkdirSync(folder);
  writeFileSync(join(folder, 'readme'), '');
  if (areTwo) writeFileSync(join(folder, 'README'), '');
  using _fs = replacedFs(({ lstatSync }) => ({
    lstatSync: ((path: string, options: { readonly bigint: true }) => {
      const found = lstatSync(path.replace(/README$/, 'readme'), options);
      return found && path.endsWith('README') ? Object.assign(found, { ino: found.ino + 1n }) : found;
    }) as typeof lstatSync,
  }));
  expect(nameRulesAt(folder).foldsCase).toBe(!areTwo);
});
