import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;

beforeEach(async () => {
  world = new RestoreWorld(pool);
  mkdirSync(join(world.source, 'inner'));
  writeFileSync(join(world.source, 'a.txt'), 'from the backup');
  writeFileSync(join(world.source, 'inner', 'b.txt'), 'inner one');
  symlinkSync('a.txt', join(world.source, 'link'));
  utimesSync(join(world.source, 'a.txt'), 1000, 1000);
  await world.backup();
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

/** Returns a path below the restored root. */
function restored(...names: string[]): string {
  return join(world.target, 'source', ...names);
}

function put(text: string, ...names: string[]): void {
  mkdirSync(join(restored(...names), '..'), { recursive: true });
  writeFileSync(restored(...names), text);
}

describe('restore over existing files', () => {
  test('is refused, names the conflicts and writes nothing when there is no choice', async () => {
    put('mine', 'a.txt');
    put('mine too', 'inner', 'b.txt');
    await expect(world.restore()).rejects.toMatchObject({
      code: 'target_conflict',
      details: { total: 2, conflicts: [restored('a.txt'), restored('inner', 'b.txt')] },
    });
    expect(readFileSync(restored('a.txt'), 'utf8')).toBe('mine');
    expect(readdirSync(restored())).toEqual(['a.txt', 'inner']);
    expect(readdirSync(join(world.folder, 'scratch'))).toEqual([]);
  });

  test('counts links among what exists, but not among the files', async () => {
    put('mine', 'a.txt');
    symlinkSync('elsewhere', restored('link'));
    const report = await world.restore({ conflict: 'keep-both', dryRun: true });
    expect(report).toMatchObject({ filesRestored: 2, conflictsTotal: 2 });
    expect(report.conflicts).toEqual([restored('a.txt'), restored('link')]);
  });

  test('has no conflict and keeps folder times when only folders exist', async () => {
    mkdirSync(restored('inner'), { recursive: true });
    utimesSync(restored(), 5, 5);
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 2, filesSkipped: 0, failures: [], conflicts: [] });
    expect(readFileSync(restored('inner', 'b.txt'), 'utf8')).toBe('inner one');
  });

  test('leaves existing files as they are when the choice is skip', async () => {
    put('mine', 'a.txt');
    const report = await world.restore({ conflict: 'skip' });
    expect(report).toMatchObject({ filesRestored: 1, filesSkipped: 1, conflicts: [restored('a.txt')] });
    expect(readFileSync(restored('a.txt'), 'utf8')).toBe('mine');
    expect(readFileSync(restored('inner', 'b.txt'), 'utf8')).toBe('inner one');
  });

  test('skips a whole folder when a file exists in its place', async () => {
    put('a file', 'inner');
    const report = await world.restore({ conflict: 'skip' });
    expect(report).toMatchObject({ filesRestored: 1, filesSkipped: 1, failures: [] });
    expect(readFileSync(restored('inner'), 'utf8')).toBe('a file');
  });

  test('replaces files, links and files in the place of folders when the choice is overwrite', async () => {
    put('mine', 'a.txt');
    put('mine', 'link');
    put('a file', 'inner');
    const report = await world.restore({ conflict: 'overwrite' });
    expect(report).toMatchObject({ filesRestored: 2, filesSkipped: 0, failures: [] });
    expect(readFileSync(restored('a.txt'), 'utf8')).toBe('from the backup');
    expect(readlinkSync(restored('link'))).toBe('a.txt');
    expect(readFileSync(restored('inner', 'b.txt'), 'utf8')).toBe('inner one');
  });

  test('replaces read-only files when the choice is overwrite', async () => {
    put('mine', 'a.txt');
    chmodSync(restored('a.txt'), 0o444);
    const report = await world.restore({ conflict: 'overwrite' });
    expect(report).toMatchObject({ filesRestored: 2, failures: [] });
    expect(readFileSync(restored('a.txt'), 'utf8')).toBe('from the backup');
  });

  test('overwrites a file with the same size and time but different content', async () => {
    put('from the BACKUP', 'a.txt');
    utimesSync(restored('a.txt'), 1000, 1000);
    await world.restore({ conflict: 'overwrite' });
    expect(readFileSync(restored('a.txt'), 'utf8')).toBe('from the backup');
  });

  test('never removes a folder in the place of a file', async () => {
    put('kept', 'a.txt', 'inside');
    const report = await world.restore({ conflict: 'overwrite' });
    expect(report.failures).toEqual([
      { path: join(world.source, 'a.txt'), chunk: undefined, reason: 'target_unwritable', detail: 'EISDIR' },
    ]);
    expect(readFileSync(restored('a.txt', 'inside'), 'utf8')).toBe('kept');
    expect(readFileSync(restored('inner', 'b.txt'), 'utf8')).toBe('inner one');
  });

  test('restores files and folders under a second name when the choice is keep-both', async () => {
    put('mine', 'a.txt');
    put('a file', 'inner');
    const report = await world.restore({ conflict: 'keep-both' });
    expect(report).toMatchObject({ filesRestored: 2, failures: [] });
    const names = readdirSync(restored());
    const beside = names.find((name) => /^a \(restored [\d-]+ [\d.]+\)\.txt$/.test(name))!;
    const folder = names.find((name) => name.startsWith('inner (restored '))!;
    expect(readFileSync(restored('a.txt'), 'utf8')).toBe('mine');
    expect(readFileSync(restored(beside), 'utf8')).toBe('from the backup');
    expect(readFileSync(restored(folder, 'b.txt'), 'utf8')).toBe('inner one');
  });

  test.each([
    ['a file with the same size and time', 'from the BACKUP', 1],
    ['an identical file', 'from the backup', 0],
  ])('keeps both only when the content differs: %s', async (_, text, copies) => {
    put(text, 'a.txt');
    utimesSync(restored('a.txt'), 1000, 1000);
    const counts = { filesRestored: 1 + copies, filesSkipped: 1 - copies };
    expect(await world.restore({ conflict: 'keep-both', dryRun: true })).toMatchObject(counts);
    expect(await world.restore({ conflict: 'keep-both' })).toMatchObject({ ...counts, failures: [] });
    expect(readFileSync(restored('a.txt'), 'utf8')).toBe(text);
    const beside = readdirSync(restored()).filter((name) => name.startsWith('a (restored '));
    expect(beside.map((name) => readFileSync(restored(name), 'utf8'))).toEqual(
      Array.from({ length: copies }, () => 'from the backup'),
    );
  });

  test('follows no links in the target', async () => {
    const elsewhere = join(world.folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'b.txt'), 'not to be touched');
    mkdirSync(restored(), { recursive: true });
    symlinkSync(elsewhere, restored('inner'));
    symlinkSync(join(elsewhere, 'b.txt'), restored('a.txt'));
    await expect(world.restore()).rejects.toMatchObject({ code: 'target_conflict' });
    await world.restore({ conflict: 'overwrite' });
    expect(readdirSync(elsewhere)).toEqual(['b.txt']);
    expect(readFileSync(join(elsewhere, 'b.txt'), 'utf8')).toBe('not to be touched');
    expect(lstatSync(restored('inner')).isDirectory()).toBe(true);
    expect(lstatSync(restored('a.txt')).isFile()).toBe(true);
  });

  test('reports what it would do and does nothing in a dry run', async () => {
    put('mine', 'a.txt');
    const report = await world.restore({ dryRun: true });
    expect(report).toMatchObject({ filesRestored: 1, filesSkipped: 1, conflicts: [restored('a.txt')] });
    expect(readdirSync(restored())).toEqual(['a.txt']);
    const beside = await world.restore({ dryRun: true, to: join(world.folder, 'new') });
    expect(beside).toMatchObject({ filesRestored: 2, bytesWritten: 24, conflicts: [] });
    expect(readdirSync(world.folder)).not.toContain('new');
  });
});
