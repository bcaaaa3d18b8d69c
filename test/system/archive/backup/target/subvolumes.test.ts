import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { differences } from '../../../../helpers/differences.ts';
import { HAS_BTRFS, mountBtrfs, subvolume, unmountAll } from '../../../../helpers/mount.ts';
import { Computer, Place } from './places.ts';

let pool: WorkerPool;
let computer: Computer;
let home: Place;
beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());
beforeEach(() => {
  computer = new Computer(pool);
  home = new Place('home');
  computer.write('letter.txt', 'text');
});
afterEach(() => {
  unmountAll(computer.folder);
  computer[Symbol.dispose]();
});

type Options = Parameters<Computer['backUp']>[1];

const at = (...names: readonly string[]): string => join(computer.source, ...names);

/** Backs up, and returns the reasons of the warnings by path. */
async function backUp(options: Options = {}, place = home): Promise<Readonly<Record<string, string>>> {
  return await computer.warningsAt(place, options);
}

function fill(folder: string, content: string): void {
  for (const name of ['one', 'photos/two', 'photos/deep/three'])
    computer.write(join(folder, name), `${content} ${name}`);
}

describe.skipIf(!HAS_BTRFS)('a subvolume in a source', () => {
  /** Makes a source with a subvolume in it, and returns the path of that. */
  function project(): string {
    mountBtrfs(computer.source, join(computer.folder, 'disk'));
    subvolume('create', at('home'));
    subvolume('create', at('home/project'));
    fill('home/project', 'text');
    computer.write('home/letter.txt', 'text');
    return at('home/project');
  }

  /** Puts a snapshot in the place of what it is of, which has none of the subvolumes in it. */
  function rollBack(): void {
    subvolume('snapshot', at('home'), at('new home'));
    renameSync(at('home'), at('old home'));
    renameSync(at('new home'), at('home'));
  }

  const ROOTS = { roots: [] as string[] };
  beforeEach(() => {
    ROOTS.roots = [at('home')];
  });

  async function expectKeptAt(copy: string, named: Readonly<Record<string, string>>): Promise<void> {
    for (let run = 1; run <= 3; run += 1) {
      computer.write('home/letter.txt', `text of run ${run}`, 5000 + run);
      expect(await backUp(ROOTS)).toEqual(named);
      writeFileSync(join(copy, 'home/letter.txt'), `text of run ${run}`);
      const restored = await computer.expectRestorable(home);
      expect(differences(join(restored, 'home'), join(copy, 'home'))).toBe('');
    }
  }

  test('that a rollback to a snapshot has left behind keeps its last version, however often', async () => {
    const path = project();
    await backUp(ROOTS);
    const copy = computer.copyOfSource();
    rollBack();
    expect(readdirSync(path)).toEqual([]);
    await expectKeptAt(copy, { [path]: 'folder-subvolume' });
    rmdirSync(path);
    renameSync(at('old home/project'), path);
    rmSync(join(path, 'one'));
    rmSync(join(copy, 'home/project/one'));
    await expectKeptAt(copy, {});
  });

  test('that a rollback has left behind is recorded as emptied once a person accepts that', async () => {
    const path = project();
    await backUp(ROOTS);
    rollBack();
    expect(await backUp({ ...ROOTS, accepted: [path] })).toEqual({});
    expect(readdirSync(join(await computer.expectRestorable(home), 'home/project'))).toEqual([]);
    expect(await backUp(ROOTS)).toEqual({});
  });

  test.each([
    [
      'emptied',
      (path: string): void => readdirSync(path).forEach((name) => rmSync(join(path, name), { recursive: true })),
    ],
    ['deleted', (path: string): void => subvolume('delete', path)],
    [
      'replaced by a folder',
      (path: string): void => {
        subvolume('delete', path);
        mkdirSync(path);
      },
    ],
    [
      'replaced by another one',
      (path: string): void => {
        subvolume('delete', path);
        subvolume('create', path);
      },
    ],
  ])('that was %s is recorded as that, as a folder is', async (_name, change) => {
    const path = project();
    await backUp(ROOTS);
    change(path);
    expect(await backUp(ROOTS)).toEqual({});
    const restored = await computer.expectRestorable(home);
    expect(differences(join(restored, 'home'), at('home'))).toBe('');
  });

  test('whose place in a snapshot never had anything is no matter for a warning', async () => {
    project();
    subvolume('snapshot', at('home'), at('home/snapshot'));
    expect(await backUp(ROOTS)).toEqual({});
    expect(await backUp(ROOTS)).toEqual({});
  });

  test('that a rollback has left behind is missed by a new destination, too', async () => {
    project();
    await backUp(ROOTS);
    rollBack();
    const late = new Place('late');
    const [outcome] = await computer.backUp([late], ROOTS);
    const warnings = outcome!.report!.warnings;
    expect(warnings.map(({ reason }) => reason)).toEqual(['not-stored']);
    expect(await computer.warningsOf(late)).toEqual(warnings);
  });
});
