import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isHoldfastError } from '../../../../../src/base/errors/errors.ts';
import type { BackupOutcome } from '../../../../../src/archive/backup/types.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { replacedFs, systemError } from '../../../../helpers/replaced-fs.ts';
import { Computer, Place, SET } from './places.ts';

let pool: WorkerPool;
let computer: Computer;
let home: Place;
let away: Place;
beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());
beforeEach(() => {
  computer = new Computer(pool);
  home = new Place('home');
  away = new Place('away');
  computer.write('docs/a.txt', 'first');
  computer.write('music/deep/b.ogg', 'song');
  mkdirSync(aside());
});
afterEach(() => computer[Symbol.dispose]());

const docs = (): string => join(computer.source, 'docs');
const music = (): string => join(computer.source, 'music');
const aside = (): string => join(computer.folder, 'aside');
const hide = (): void => renameSync(music(), join(aside(), 'music'));
const show = (): void => renameSync(join(aside(), 'music'), music());
const backUp = (
  places: readonly Place[] = [home],
  more: Parameters<Computer['backUp']>[1] = {},
): Promise<readonly BackupOutcome[]> => computer.backUp(places, { roots: [docs(), music()], ...more });
const codeOf = ({ error }: BackupOutcome): string | undefined => (isHoldfastError(error) ? error.code : undefined);

/** Restores the newest restore point and reads a file of it. */
async function restored(name: string, place = home): Promise<string> {
  return readFileSync(join(await computer.expectRestorable(place), name), 'utf8');
}

describe('a folder of a set that is missing', () => {
  test('is named by a warning, and keeps its last version in the restore point', async () => {
    await backUp();
    hide();
    computer.write('docs/a.txt', 'second', 2000);
    const [outcome] = await backUp();
    expect(outcome!.report).toMatchObject({
      filesProcessed: 2,
      warnings: [{ path: music(), reason: 'folder-missing' }],
    });
    expect(await restored('docs/a.txt')).toBe('second');
    expect(await restored('music/deep/b.ogg')).toBe('song');
  });

  test('is named again by each run until it is back, whose changes are backed up then', async () => {
    await backUp();
    hide();
    await backUp();
    expect((await backUp())[0]!.report!.warnings).toHaveLength(1);
    show();
    computer.write('music/deep/b.ogg', 'other', 2000);
    expect((await backUp())[0]!.report!.warnings).toEqual([]);
    expect(await restored('music/deep/b.ogg')).toBe('other');
  });

  test('causes no warning if the set allows it, and is kept all the same', async () => {
    await backUp();
    hide();
    const [outcome] = await backUp([home], { optionalRoots: [music()] });
    expect(outcome!.report!.warnings).toEqual([]);
    expect(await restored('music/deep/b.ogg')).toBe('song');
  });

  test('is left out of the next restore point once it is removed from the set', async () => {
    await backUp();
    hide();
    expect((await backUp([home], { roots: [docs()] }))[0]!.report).toMatchObject({ filesProcessed: 1, warnings: [] });
    await expect(restored('music/deep/b.ogg')).rejects.toThrow('ENOENT');
  });

  test('that was added since the last backup is named, too', async () => {
    await backUp([home], { roots: [docs()] });
    hide();
    const [outcome] = await backUp();
    expect(outcome!.report).toMatchObject({ filesProcessed: 1, warnings: [{ reason: 'folder-missing' }] });
  });

  test('stops a first backup, since nothing says what it contained', async () => {
    hide();
    expect((await backUp()).map(codeOf)).toEqual(['source_missing']);
  });

  test('stops no first backup if it may be missing', async () => {
    hide();
    const [outcome] = await backUp([home], { optionalRoots: [music()] });
    expect(outcome!.report).toMatchObject({ filesProcessed: 1, warnings: [] });
  });

  test('stops the run if all others are missing as well', async () => {
    await backUp();
    renameSync(computer.source, join(aside(), 'source'));
    expect((await backUp()).map(codeOf)).toEqual(['source_missing']);
    mkdirSync(computer.source);
  });

  test('is named at a destination without any backup of it, which gets the rest, and it once it is there', async () => {
    await backUp();
    hide();
    await backUp();
    for (let run = 1; run <= 3; run += 1) {
      const [here, there] = await backUp([home, away]);
      expect(here!.report!.warnings).toEqual([{ path: music(), reason: 'folder-missing' }]);
      expect(there!.report!.warnings).toEqual([{ path: music(), reason: 'not-stored' }]);
      expect(await restored('music/deep/b.ogg')).toBe('song');
      const stored = new Set(away.points.at(-1)!.files.map(({ path }) => path));
      expect(stored.has(join(docs(), 'a.txt'))).toBe(true);
      expect(stored.has(join(music(), 'deep/b.ogg'))).toBe(false);
      // Whoever restores it is told.
      expect(await computer.warningsOf(away)).toEqual([{ path: music(), reason: 'not-stored' }]);
      expect(await computer.warningsOf(home)).toEqual([]);
    }
    show();
    expect((await backUp([home, away])).map(({ report }) => report!.warnings)).toEqual([[], []]);
    expect(await restored('music/deep/b.ogg', away)).toBe('song');
    hide();
    await backUp([home, away]);
    expect(await restored('music/deep/b.ogg', away)).toBe('song');
  });

  test('stops the run at a destination that may have it in a restore point which the catalog does not know', async () => {
    await backUp([home, away]);
    const { setId } = computer.catalog.entries.findSet(SET)!;
    computer.catalog.at(away.id).trees.remove(setId);
    hide();
    // What it has, it keeps.
    expect((await backUp([away])).map(({ report }) => report?.warnings)).toEqual([
      [{ path: music(), reason: 'folder-missing' }],
    ]);
    expect(await restored('music/deep/b.ogg', away)).toBe('song');
    computer.catalog.at(away.id).trees.remove(setId);
    const song = away.points.at(-1)!.files.find(({ path }) => path.endsWith('b.ogg'))!;
    for (const hash of song.chunks) away.blobs.delete(hash);
    expect((await backUp([away])).map(codeOf)).toEqual(['source_unreadable']);
  });

  test('keeps the version that a destination has, where a later one never arrived', async () => {
    await backUp([home, away]);
    computer.write('music/deep/b.ogg', 'newer', 2000);
    await backUp([home]);
    hide();
    await backUp([home, away]);
    expect(await restored('music/deep/b.ogg')).toBe('newer');
    expect(await restored('music/deep/b.ogg', away)).toBe('song');
  });
});

test('a folder that is suddenly empty keeps its last version, in each run', async () => {
  await backUp();
  rmSync(join(music(), 'deep'), { recursive: true });
  for (let run = 1; run <= 2; run += 1) {
    const [outcome] = await backUp();
    expect(outcome!.report!.warnings).toEqual([{ path: music(), reason: 'folder-empty' }]);
    expect(await restored('music/deep/b.ogg')).toBe('song');
  }
  const [emptied] = await backUp([home], { allowEmpty: true });
  expect(emptied!.report).toMatchObject({ filesProcessed: 1, warnings: [] });
});

describe('a folder that has lost all of its files, but is not empty,', () => {
  const song = (): string => join(music(), 'deep/b.ogg');
  const LEFT: Readonly<Record<string, () => void>> = {
    'with the folders that had them': () => rmSync(song()),
    'with a new folder': () => {
      rmSync(join(music(), 'deep'), { recursive: true });
      mkdirSync(join(music(), 'a/b'), { recursive: true });
    },
    'with what systems create by themselves': () => {
      rmSync(join(music(), 'deep'), { recursive: true });
      for (const name of ['.Trash-1000/files/b.ogg', '.DS_Store', 'desktop.ini', '.fseventsd/fseventsd-uuid']) {
        computer.write(join('music', name), 'left');
      }
      for (const name of ['lost+found', 'System Volume Information', '$RECYCLE.BIN']) mkdirSync(join(music(), name));
    },
    'with links': () => {
      rmSync(song());
      symlinkSync('nowhere', song());
    },
    'with what a rule leaves out': () => {
      rmSync(song());
      computer.write('music/deep/left.tmp', 'left');
      computer.write('music/cache/left', 'left');
    },
  };
  const excludes = ['*.tmp', 'cache/'];

  test.each(Object.entries(LEFT))('%s, keeps its last version, in each run', async (_name, lose) => {
    await backUp([home], { excludes });
    lose();
    for (let run = 1; run <= 3; run += 1) {
      computer.write('docs/a.txt', `text ${run}`, 2000 + run);
      const [outcome] = await backUp([home], { excludes });
      expect(outcome!.report).toMatchObject({
        filesProcessed: 2,
        warnings: [{ path: music(), reason: 'folder-empty' }],
      });
      expect(await restored('music/deep/b.ogg')).toBe('song');
      expect(await restored('docs/a.txt')).toBe(`text ${run}`);
    }
    const [emptied] = await backUp([home], { excludes, accepted: [music()] });
    expect(emptied!.report!.warnings).toEqual([]);
    await expect(restored('music/deep/b.ogg')).rejects.toThrow('ENOENT');
    expect((await backUp([home], { excludes }))[0]!.report!.warnings).toEqual([]);
  });

  test('stops the run if it is the only one, until a person accepts that', async () => {
    const only = { roots: [music()] };
    await backUp([home], only);
    rmSync(song());
    for (let run = 1; run <= 3; run += 1) expect((await backUp([home], only)).map(codeOf)).toEqual(['source_empty']);
    expect(await restored('music/deep/b.ogg')).toBe('song');
    expect((await backUp([home], { ...only, allowEmpty: true }))[0]!.report).toMatchObject({
      filesProcessed: 0,
      warnings: [],
    });
  });

  test('is no news where it had no file before', async () => {
    rmSync(song());
    computer.write('music/desktop.ini', 'first');
    await backUp();
    rmSync(join(music(), 'desktop.ini'));
    rmSync(join(music(), 'deep'), { recursive: true });
    mkdirSync(join(music(), 'other'));
    expect((await backUp())[0]!.report!.warnings).toEqual([]);
  });

  test('is what the person wanted where a new rule leaves all of it out', async () => {
    await backUp();
    const [outcome] = await backUp([home], { excludes: ['*.ogg'] });
    expect(outcome!.report).toMatchObject({ filesProcessed: 1, warnings: [] });
  });

  test('is not said of one with a file far inside', async () => {
    computer.write('music/x/y/z/last.ogg', 'last');
    await backUp();
    rmSync(song());
    expect((await backUp())[0]!.report).toMatchObject({ filesProcessed: 2, warnings: [] });
  });

  test('stays what it was where it cannot be looked into', async () => {
    await backUp();
    using _fs = replacedFs(({ readdirSync }) => ({
      readdirSync: ((path: string, ...rest: []) => {
        if (path === join(music(), 'deep')) throw systemError('EACCES');
        return readdirSync(path, ...rest);
      }) as typeof readdirSync,
    }));
    const [outcome] = await backUp();
    expect(outcome!.report!.warnings).toEqual([{ path: join(music(), 'deep'), reason: 'permission-denied' }]);
    expect(await restored('music/deep/b.ogg')).toBe('song');
  });
});
