import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences } from '../../helpers/differences.ts';
import { copyTree } from '../../helpers/tree/copy.ts';
import { Workplace } from './workplace.ts';
import { orThorough } from '../../helpers/thorough.ts';

let place: Workplace;
let docs: string;
beforeEach(async () => {
  place = new Workplace();
  docs = place.path('own', 'docs');
  mkdirSync(join(docs, 'letters'), { recursive: true });
  for (const name of ['a', 'b', 'c']) writeFileSync(join(docs, 'letters', name), `first ${name}`);
  await place.setUp();
  await place.addSet('docs', docs);
});
afterEach(() => place[Symbol.dispose]());

const RESTORE = ['restore', 'docs', '--in-place', '--conflict', 'overwrite'] as const;

interface Undone {
  readonly put_back: number;
  readonly moved_aside: number;
  readonly moved_to: readonly string[];
  readonly not_undone: readonly { readonly path: string; readonly reason: string }[];
}

/** Names, kinds, modes, times and targets of links. */
function attributes(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path, { bigint: true });
      const target = stat.isSymbolicLink() ? readlinkSync(path) : '';
      return stat.isDirectory() ? [] : [`${name} ${stat.mode.toString(8)} ${stat.mtimeNs} ${target}`];
    });
}

describe('holdfast undo', () => {
  test('brings back the state before a restore, with attributes, links and folders', async () => {
    symlinkSync('a', join(docs, 'letters', 'link'));
    mkdirSync(join(docs, 'gone', 'deep'), { recursive: true });
    writeFileSync(join(docs, 'gone', 'deep', 'd'), 'd');
    await place.json(['backup', 'docs']);
    rmSync(join(docs, 'gone'), { recursive: true });
    writeFileSync(join(docs, 'letters', 'a'), 'second a');
    utimesSync(join(docs, 'letters', 'a'), 1_700_000_000, 1_700_000_000);
    chmodSync(join(docs, 'letters', 'b'), 0o400);
    rmSync(join(docs, 'letters', 'c'));
    mkdirSync(join(docs, 'letters', 'c'));
    writeFileSync(join(docs, 'letters', 'c', 'inside'), 'inside');
    rmSync(join(docs, 'letters', 'link'));
    symlinkSync('elsewhere', join(docs, 'letters', 'link'));
    copyTree(docs, place.path('before'));
    const before = attributes(docs);
    await place.json(RESTORE);
    expect(differences(docs, place.path('before'))).not.toBe('');
    const plan = await place.json<Undone>(['undo', '--dry-run']);
    expect(plan).toMatchObject({ put_back: 3, moved_aside: 4, dry_run: true });
    const undone = await place.json<Undone>(['undo']);
    expect(undone).toMatchObject({ put_back: 3, moved_aside: 4, not_undone: [] });
    expect(differences(docs, place.path('before'), '--no-dereference')).toBe('');
    expect(attributes(docs)).toEqual(before);
    expect(undone.moved_to).toHaveLength(1);
    expect(readFileSync(join(undone.moved_to[0]!, 'docs', 'gone', 'deep', 'd'), 'utf8')).toBe('d');
    expect(readdirSync(place.path('own')).filter((name) => name.startsWith('Before restore'))).toEqual([]);
  });

  test('removes the folders that a restore made to reach its place', async () => {
    await place.json(['backup', 'docs']);
    rmSync(place.path('own'), { recursive: true });
    await place.json(RESTORE);
    expect(await place.json(['undo'])).toMatchObject({ put_back: 0, moved_aside: 3 });
    const [side, ...more] = readdirSync(place.path('own'));
    expect(more).toEqual([]);
    expect(side).toMatch(/^Before undo /);
  });

  test('names what was changed since, with exit status 3, and says what there is to undo', async () => {
    await place.json(['backup', 'docs']);
    expect(await place.run('undo')).toMatchObject({ status: 2, stderr: expect.stringContaining('can be undone') });
    writeFileSync(join(docs, 'letters', 'a'), 'second a');
    await place.json(RESTORE);
    writeFileSync(join(docs, 'letters', 'a'), 'third version of a');
    const undone = await place.json<Undone>(['undo'], 3);
    expect(undone.not_undone).toEqual([{ path: join(docs, 'letters', 'a'), reason: 'changed' }]);
    expect(readFileSync(join(docs, 'letters', 'a'), 'utf8')).toBe('third version of a');
    expect((await place.run('undo')).status).toBe(2);
  });

  test('brings back the state before a restore that was killed, although it is killed itself', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `${index}.bin`);
    for (const name of names) writeFileSync(join(docs, name), randomBytes(30_000));
    await place.json(['backup', 'docs']);
    for (const name of names.slice(10)) writeFileSync(join(docs, name), randomBytes(30_000));
    for (const name of names.slice(0, 10)) rmSync(join(docs, name));
    copyTree(docs, place.path('before'));
    const killed = async (words: readonly string[], delay: number): Promise<boolean> => {
      const { child, ended } = place.start(words);
      const timer = setTimeout(() => child.kill('SIGKILL'), delay);
      const { signal } = await ended;
      clearTimeout(timer);
      return signal !== null;
    };
    let rounds = 0;
    for (let delay = 300; ; delay *= orThorough(1.4, 1.1)) {
      const isKilled = await killed(RESTORE, delay);
      if (isKilled) await killed(['undo'], 250 + rounds * 30);
      const last = await place.run('undo', '--json');
      // The restore was killed before it wrote, or the undo was complete.
      expect([0, 2]).toContain(last.status);
      expect(differences(docs, place.path('before'))).toBe('');
      if (!isKilled) break;
      rounds += 1;
    }
    expect(rounds).toBeGreaterThan(0);
  });
});
