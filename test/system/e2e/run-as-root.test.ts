import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

const PERSON = 65_534;
const IS_ROOT = process.geteuid?.() === 0;

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place[Symbol.dispose]());

/** What find(1) says that root has below a folder. */
function ofRoot(folder: string): readonly string[] {
  return execFileSync('find', [folder, '-uid', '0'], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe.skipIf(!IS_ROOT)('what root runs in the home of a person (needs root)', () => {
  test('leaves everything to that person, in the home and at the destination', async () => {
    const theirs = place.path('theirs');
    mkdirSync(theirs);
    chownSync(theirs, PERSON, PERSON);
    const home = join(theirs, 'home');
    const source = place.path('source');
    mkdirSync(source);
    writeFileSync(join(source, 'a'), 'a');
    const run = async (...words: readonly string[]): Promise<void> => {
      expect(await place.runAt(home, words)).toMatchObject({ status: 0 });
    };
    await run('setup', '--destination', join(theirs, 'backups'), '--parity', '10');
    await run('set', 'add', 'docs', source);
    await run('backup', 'docs');
    await run('find', 'docs', 'a');
    writeFileSync(join(source, 'a'), 'changed');
    await run('backup', 'docs');
    await run('restore', 'docs', '--path', join(source, 'a'), '--in-place', '--conflict', 'overwrite');
    expect(readdirSync(join(theirs, 'backups'))).toContain('packs');
    expect(ofRoot(theirs)).toEqual([]);
  });
});
