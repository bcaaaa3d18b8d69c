import Database from 'better-sqlite3';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderWalk } from '../../../../src/os/filesystem/folder-walk.ts';
import { Folder } from '../../../../src/os/filesystem/folder.ts';
import { PathExclusion } from '../../../../src/restore/conflicts/request-paths.ts';
import { findSurplus } from '../../../../src/restore/conflicts/surplus.ts';
import { PLAN_SCHEMA } from '../../../../src/restore/record/schema.ts';
import { SurplusStore, type Surplus } from '../../../../src/restore/record/surplus-store.ts';
import { Exclusion } from '../../../../src/archive/scan/exclusion.ts';
import { replacedFs } from '../../../helpers/replaced-fs.ts';

let target: string;
beforeEach(() => {
  target = mkdtempSync(join(tmpdir(), 'holdfast-surplus-'));
});
afterEach(() => rmSync(target, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), content);
}

interface Plan {
  /** Paths below the target folder. */
  readonly planned: readonly string[];
  readonly used: readonly string[];
  readonly excludes?: readonly string[];
  readonly without?: readonly string[];
  readonly roots?: readonly string[];
  readonly unknown?: readonly string[];
  readonly beside?: readonly string[];
}

async function find({
  planned,
  used,
  excludes = [],
  without = [],
  roots = ['docs'],
  unknown = [],
  beside = [],
}: Plan): Promise<readonly Surplus[]> {
  const at = (path: string): string => join(target, path);
  const database = new Database(':memory:');
  database.exec(PLAN_SCHEMA);
  const store = new SurplusStore(database);
  const insert = database.prepare(
    `INSERT INTO entry (path, type, mode, nanoseconds, size, sparse) VALUES (?, 'file', 420, 0, 0, 0)`,
  );
  for (const path of planned) insert.run(at(path));
  for (const location of used) store.addUsed({ path: at(location), location });
  for (const location of beside) store.addBeside(location);
  const exclusion = new Exclusion(excludes, [], []);
  using walk = new FolderWalk(Folder.open(target));
  const rules = { roots: roots.map(at), exclusion };
  const left = { without: new PathExclusion(without.map(at), []), unknown: new Set(unknown.map(at)) };
  await findSurplus({ store, target, walk, rules, ...left, signal: undefined });
  return [...store.inOrder()];
}

describe('surplus', () => {
  test('is every entry of a folder that is not planned, and a folder with all that is in it', async () => {
    for (const path of ['docs/a', 'docs/b', 'docs/new/c', 'docs/new/deep/d']) write(path, path);
    symlinkSync('a', join(target, 'docs/link'));
    expect(await find({ planned: ['docs', 'docs/a'], used: ['docs'] })).toEqual([
      { location: 'docs/b', files: 1, bytes: 6 },
      { location: 'docs/link', files: 0, bytes: 1 },
      { location: 'docs/new', files: 2, bytes: 25 },
    ]);
  });

  test('is a second name of a planned file', async () => {
    write('docs/a', 'a');
    linkSync(join(target, 'docs/a'), join(target, 'docs/A'));
    expect(await find({ planned: ['docs', 'docs/a'], used: ['docs'] })).toMatchObject([{ location: 'docs/A' }]);
  });

  test('is not a planned file under another spelling, also where each spelling has a number of its own', async () => {
    write('docs/README', 'a');
    using _fs = replacedFs(({ lstatSync }) => ({
      lstatSync: ((path: string, options: { readonly bigint: true }) => {
        const found = lstatSync(path.replace(/readme$/i, 'README'), options);
        return path.endsWith('readme') ? Object.assign(found, { ino: found.ino + 1n }) : found;
      }) as typeof lstatSync,
    }));
    expect(await find({ planned: ['docs', 'docs/Readme'], used: ['docs'] })).toEqual([]);
  });

  test('is not what an entry of the plan has as its place beside', async () => {
    for (const path of ['docs/a', 'docs/a (restored)', 'docs/b (restored)']) write(path, path);
    const plan = { planned: ['docs', 'docs/a', 'docs/A'], used: ['docs'], beside: ['docs/a (restored)'] };
    expect(await find(plan)).toMatchObject([{ location: 'docs/b (restored)' }]);
  });

  test('is not what the backup could not read, nor anything in it', async () => {
    for (const path of ['docs/carried/in/a', 'docs/locked/b', 'docs/file', 'docs/new/locked', 'docs/new/c'])
      write(path, 'x');
    const planned = ['docs', 'docs/carried', 'docs/carried/in'];
    const unknown = ['docs/carried', 'docs/locked', 'docs/file', 'docs/new/locked'];
    expect(await find({ planned, used: planned, unknown })).toMatchObject([{ location: 'docs/new/c' }]);
  });

  test('is not what the rules of a folder above exclude', async () => {
    write('docs/in/cache/x', 'x');
    write('docs/in/.holdfastignore', 'y\n');
    for (const path of ['docs/in/y', 'docs/in/more/y', 'docs/in/more/z']) write(path, 'z');
    const planned = ['docs', 'docs/in', 'docs/in/.holdfastignore', 'docs/in/more'];
    const used = ['docs', 'docs/in', 'docs/in/more'];
    expect(await find({ planned, used, excludes: ['cache/'] })).toMatchObject([{ location: 'docs/in/more/z' }]);
  });

  test('is nothing in a folder that is excluded now, or in no root of the set', async () => {
    for (const path of ['docs/out/x', 'elsewhere/y']) write(path, 'x');
    const planned = ['docs', 'docs/out', 'elsewhere'];
    expect(await find({ planned, used: ['docs', 'docs/out', 'elsewhere'], excludes: ['out/'] })).toEqual([]);
  });

  test('is not what the request leaves out, a side folder, an incomplete file or a socket', async () => {
    for (const path of [
      'docs/left/x',
      'docs/Before restore 2026-11-21 14.05.33/x',
      'docs/Before undo 2026-11-21 14.05.33/x',
      'docs/.holdfast-partial-0123456789abcdef-1',
      'docs/Before restore of mine/x',
    ]) {
      write(path, 'x');
    }
    const server = createServer().listen(join(target, 'docs', 'socket'));
    await once(server, 'listening');
    const found = await find({ planned: ['docs'], used: ['docs'], without: ['docs/left'] });
    server.close();
    expect(found).toMatchObject([{ location: 'docs/Before restore of mine' }]);
  });

  test('is not what is in a folder whose ignore file cannot be read', async () => {
    write('docs/a', 'a');
    write('docs/new/x', 'x');
    // Reading it ends with ELOOP.
    symlinkSync('.holdfastignore', join(target, 'docs/new/.holdfastignore'));
    expect(await find({ planned: ['docs'], used: ['docs'] })).toMatchObject([{ location: 'docs/a' }]);
  });
});
