import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { Computer, Place } from './places.ts';

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
  // Chunks are read once more for it, after the scan.
  away.offered = new Set();
});
afterEach(() => computer[Symbol.dispose]());

/** A folder with these files, outside of the source. */
function folderOf(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(computer.folder, name);
  mkdirSync(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return folder;
}

describe('a file that changes whenever it is read', () => {
  let deleted: number;
  beforeEach(() => {
    deleted = 0;
    computer.restless.add(computer.write('database', 'torn'));
    computer.write('letter', 'letter');
  });

  function copyAt(folder: string): void {
    computer.volumeCopies = {
      copyFor: () => Promise.resolve({ placeOf: (path) => path.replace(computer.source, folder) }),
      deleteAll: () => {
        deleted += 1;
        return Promise.resolve();
      },
    };
  }

  test('is at every destination as it is in the copy of the volume, which is kept until all have it', async () => {
    const copy = folderOf('copy', { database: 'as it was at one moment' });
    copyAt(copy);
    away.hooks.init = () => expect(deleted).toBe(0);
    const outcomes = await computer.backUp([home, away]);
    expect(outcomes.map(({ report }) => report?.warnings)).toEqual([[], []]);
    expect(computer.sealed).toContain(join(copy, 'database'));
    expect(deleted).toBe(1);
    const wanted = folderOf('wanted', { database: 'as it was at one moment', letter: 'letter' });
    for (const place of [home, away]) await computer.expectRestored(place, wanted);
  });

  test('is read again in the next run', async () => {
    copyAt(folderOf('copy', { database: 'first' }));
    await computer.backUp([home]);
    copyAt(folderOf('second', { database: 'second' }));
    await computer.backUp([home]);
    await computer.expectRestored(home, folderOf('wanted', { database: 'second', letter: 'letter' }));
  });

  test('is stored as it was read, and named, if there is no copy', async () => {
    const outcomes = await computer.backUp([home, away]);
    const path = join(computer.source, 'database');
    for (const { report } of outcomes) expect(report?.warnings).toEqual([{ path, reason: 'changed-while-reading' }]);
    for (const place of [home, away]) await computer.expectRestored(place);
  });
});
