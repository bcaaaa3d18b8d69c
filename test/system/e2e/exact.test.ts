import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences } from '../../helpers/differences.ts';
import { copyTree } from '../../helpers/tree/copy.ts';
import { Workplace } from './workplace.ts';

let place: Workplace;
let docs: string;
beforeEach(async () => {
  place = new Workplace();
  docs = place.path('own', 'docs');
  mkdirSync(join(docs, 'letters'), { recursive: true });
  for (const name of ['a', 'b']) writeFileSync(join(docs, 'letters', name), `first ${name}`);
  writeFileSync(join(docs, '.holdfastignore'), 'kept-out\n');
  await place.setUp();
  await place.json(['set', 'add', 'docs', docs, '--exclude', '!*', '--exclude', '*.tmp']);
  await place.json(['backup', 'docs']);
});
afterEach(() => place[Symbol.dispose]());

const RESTORE = ['restore', 'docs', '--in-place', '--exact'] as const;

interface Restored {
  readonly files_restored: number;
  readonly files_moved_aside: number;
  readonly bytes_moved_aside: number;
  readonly moved_aside: readonly string[];
  readonly moved_aside_total: number;
  readonly kept_in: readonly string[];
}

/** The files in a folder and in all below it. */
function names(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !lstatSync(join(folder, name)).isDirectory())
    .toSorted();
}

describe('an exact restore', () => {
  function change(): void {
    writeFileSync(join(docs, 'letters', 'a'), 'second a');
    rmSync(join(docs, 'letters', 'b'));
    writeFileSync(join(docs, 'letters', 'new'), 'new');
    mkdirSync(join(docs, 'project', 'deep'), { recursive: true });
    writeFileSync(join(docs, 'project', 'deep', 'x'), '12345');
    writeFileSync(join(docs, 'project', 'y'), '1234567890');
  }

  test('gives a folder the content of a time, and moves what did not exist then beside it', async () => {
    copyTree(docs, place.path('then'));
    change();
    copyTree(docs, place.path('before'));
    const plan = await place.json<Restored>([...RESTORE, '--dry-run']);
    expect(plan).toMatchObject({
      files_moved_aside: 3,
      bytes_moved_aside: 18,
      moved_aside: [join(docs, 'letters', 'new'), join(docs, 'project')],
      moved_aside_total: 2,
    });
    expect(differences(docs, place.path('before'))).toBe('');
    const report = await place.json<Restored>(RESTORE);
    expect(report).toMatchObject({ files_restored: 2, files_moved_aside: 3, moved_aside_total: 2 });
    expect(differences(docs, place.path('then'))).toBe('');
    expect(report.kept_in).toHaveLength(1);
    expect(names(report.kept_in[0]!)).toEqual([
      '.holdfast-side-folder',
      'docs/letters/a',
      'docs/letters/new',
      'docs/project/deep/x',
      'docs/project/y',
    ]);
    expect(await place.json(['undo'])).toMatchObject({ put_back: 3, not_undone: [] });
    expect(differences(docs, place.path('before'))).toBe('');
  });

  test('leaves what is excluded, also in a folder that did not exist then', async () => {
    change();
    writeFileSync(join(docs, 'letters', 'x.tmp'), 'excluded by the set');
    writeFileSync(join(docs, 'project', 'x.tmp'), 'excluded by the set');
    mkdirSync(join(docs, 'kept-out'));
    writeFileSync(join(docs, 'kept-out', 'z'), 'excluded by an ignore file');
    mkdirSync(join(docs, 'other'));
    writeFileSync(join(docs, 'other', '.holdfastignore'), '*.log\n');
    writeFileSync(join(docs, 'other', 'z.log'), 'excluded by its own ignore file');
    const report = await place.json<Restored>(RESTORE);
    expect(report.moved_aside).toEqual([
      join(docs, 'letters', 'new'),
      join(docs, 'other', '.holdfastignore'),
      join(docs, 'project', 'deep'),
      join(docs, 'project', 'y'),
    ]);
    expect(names(docs)).toEqual([
      '.holdfastignore',
      'kept-out/z',
      'letters/a',
      'letters/b',
      'letters/x.tmp',
      'other/z.log',
      'project/x.tmp',
    ]);
  });

  test('of a part leaves everything else', async () => {
    change();
    const path = join(docs, 'letters');
    expect(await place.json<Restored>([...RESTORE, '--path', path])).toMatchObject({
      moved_aside: [join(path, 'new')],
    });
    expect(readFileSync(join(docs, 'project', 'y'), 'utf8')).toBe('1234567890');
    expect(existsSync(join(path, 'new'))).toBe(false);
  });

  test('leaves the folders in which earlier restores have kept something', async () => {
    await place.json(['set', 'add', 'own', place.path('own'), '--exclude', '!*']);
    await place.json(['backup', 'own']);
    change();
    await place.json(['restore', 'docs', '--in-place', '--exact']);
    const before = readdirSync(place.path('own'));
    expect(before).toHaveLength(2);
    await place.json(['restore', 'own', '--in-place', '--exact']);
    expect(readdirSync(place.path('own'))).toEqual(before);
  });

  test('is refused without its set, elsewhere than in the original place, and with another choice', async () => {
    const message = 'Use --exact together with --in-place';
    const target = ['--to', place.path('target')];
    for (const words of [target, ['--in-place', '--conflict', 'skip']]) {
      const ended = await place.run('restore', 'docs', '--exact', ...words);
      expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
    }
    await place.json(['set', 'remove', 'docs']);
    writeFileSync(join(docs, 'new'), 'new');
    const ended = await place.run(...RESTORE);
    expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining('is not a backup set of this computer') });
    expect(readFileSync(join(docs, 'new'), 'utf8')).toBe('new');
  });
});
