import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const at = (...names: string[]): string => join(world.source, ...names);
const read = (...names: string[]): string => readFileSync(at(...names), 'utf8');

/** @param seconds the modification time */
function write(text: string, seconds: number, ...names: string[]): void {
  mkdirSync(join(at(...names), '..'), { recursive: true });
  writeFileSync(at(...names), text);
  utimesSync(at(...names), seconds, seconds);
}

describe('choices for single paths', () => {
  beforeEach(async () => {
    for (const name of ['same', 'older', 'newer']) write('backup', 1000, name);
    for (const name of ['x', 'y']) write('backup', 1000, 'folder', name);
    write('backup', 1000, 'gone');
    await world.backup();
    rmSync(at('gone'));
    write('mine', 900, 'older');
    write('mine', 2000, 'newer');
    for (const name of ['x', 'y']) write('mine', 2000, 'folder', name);
  });

  const choices = () =>
    [
      { path: at('folder'), choice: 'overwrite' },
      { path: at('folder', 'y'), choice: 'keep-both' },
      { path: at('newer'), choice: 'overwrite' },
    ] as const;

  test('decide before the choice for all, and the deepest path decides', async () => {
    const report = await world.restore({ to: null, conflict: 'skip', choices: choices() });
    expect(report).toMatchObject({ filesRestored: 4, filesSkipped: 1, filesUnchanged: 1, failures: [] });
    expect([read('older'), read('newer'), read('folder', 'x'), read('gone')]).toEqual([
      'mine',
      'backup',
      'backup',
      'backup',
    ]);
    expect(read('folder', 'y')).toBe('mine');
    const beside = readdirSync(at('folder')).filter((name) => name.startsWith('y (restored '));
    expect(beside.map((name) => read('folder', name))).toEqual(['backup']);
  });

  test('are refused before anything is written if they are about nothing', async () => {
    const choices = [{ path: at('folder'), choice: 'skip' }] as const;
    const typo = [...choices, { path: at('oder'), choice: 'skip' }] as const;
    const request = { to: null, conflict: 'overwrite' } as const;
    const refusal = { code: 'usage', details: { problem: 'choice-unmet', path: at('oder') } };
    await expect(world.restore({ ...request, choices: typo })).rejects.toMatchObject(refusal);
    await expect(world.restore({ ...request, choices: typo, dryRun: true })).rejects.toMatchObject(refusal);
    expect([read('older'), read('newer'), readdirSync(world.source).includes('gone')]).toEqual(['mine', 'mine', false]);
    // Outside of what is restored there is nothing to choose for.
    const part = { ...request, paths: [at('folder')] };
    const outside = { details: { problem: 'choice-unmet', path: at('older') } };
    await expect(world.restore({ ...part, choices: [{ path: at('older'), choice: 'skip' }] })).rejects.toMatchObject(
      outside,
    );
    // A folder above everything is a choice for all.
    expect(await world.restore({ ...part, choices: [{ path: world.source, choice: 'skip' }] })).toMatchObject({
      filesSkipped: 2,
      failures: [],
    });
    expect(await world.restore({ ...request, choices })).toMatchObject({ filesSkipped: 2, failures: [] });
  });

  test('a plan tells for each file what is there, and how many files are new', async () => {
    const { planned } = await world.restore({ to: null, conflict: 'skip', choices: choices(), dryRun: true });
    expect(planned).toMatchObject({ filesNew: 1, undecided: 0, bytesNeeded: 4 * 6 });
    expect(planned!.met).toHaveLength(4);
    expect(planned!.met).toContainEqual({
      path: at('newer'),
      kind: 'newer',
      type: 'file',
      size: 6,
      modified: 1_000_000,
      there: { type: 'file', size: 4, modified: 2_000_000 },
    });
    expect(planned!.met.find(({ path }) => path === at('older'))).toMatchObject({ kind: 'changed' });
    expect(read('newer')).toBe('mine');
  });

  test('a restore without a choice for all is refused until every file has one', async () => {
    const some = { to: null, choices: choices() };
    await expect(world.restore(some)).rejects.toMatchObject({ code: 'target_conflict' });
    expect(read('newer')).toBe('mine');
    const all = [...choices(), { path: world.source, choice: 'skip' }] as const;
    expect(await world.restore({ to: null, choices: all })).toMatchObject({ filesSkipped: 1, failures: [] });
  });

  test('are recorded with the job', async () => {
    await world.restore({ to: null, conflict: 'skip', choices: choices() });
    const [job] = world.dependencies.catalog.journal.list({ kind: 'restore' }, 1);
    expect(JSON.parse(job!.request!)).toMatchObject({ conflict: 'skip', choices: choices() });
  });
});
