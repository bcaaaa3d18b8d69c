import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';

/** True if this process may make bind mounts: root, outside of most containers. */
function canBind(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bind-'));
  const bound = spawnSync('mount', ['--bind', folder, folder]).status === 0;
  if (bound) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
  return bound;
}

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => {
  spawnSync('umount', [target('docs')]);
  world[Symbol.dispose]();
});
afterAll(() => pool.close());

const target = (...names: string[]): string => join(world.target, 'source', ...names);

/** Simulates the disks of macOS and Windows, where folders that differ in case only are the same, by a bind mount. */
describe.skipIf(!canBind())('restore to a target that is case-insensitive', () => {
  test('never replaces one file by another, in one run or when resumed', async () => {
    for (const [name, text] of Object.entries({ 'Docs/x': 'one', 'docs/x': 'two', 'docs/y': 'yes' })) {
      mkdirSync(join(world.source, name, '..'), { recursive: true });
      writeFileSync(join(world.source, name), text);
      utimesSync(join(world.source, name), 1000, 1000);
    }
    await world.backup();
    for (const name of ['Docs', 'docs']) mkdirSync(target(name), { recursive: true });
    expect(spawnSync('mount', ['--bind', target('Docs'), target('docs')]).status).toBe(0);
    writeFileSync(target('Docs', 'x'), 'mine');
    const failure = {
      path: join(world.source, 'docs/x'),
      chunk: undefined,
      reason: 'target_unwritable',
      detail: 'EEXIST',
    };
    for (const filesResumed of [0, 2]) {
      const report = await world.restore({ conflict: 'overwrite' });
      expect(report).toMatchObject({ failures: [failure], filesRestored: 2, filesResumed });
      expect(readFileSync(target('Docs', 'x'), 'utf8')).toBe('one');
      expect(readFileSync(target('docs', 'y'), 'utf8')).toBe('yes');
    }
  });
});
