import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isHoldfastError } from '../../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { replacedFs, systemError } from '../../../../helpers/replaced-fs.ts';
import { Computer, Place } from './places.ts';

let pool: WorkerPool;
let computer: Computer;
let home: Place;
let file: string;
beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());
beforeEach(async () => {
  computer = new Computer(pool);
  home = new Place('home');
  computer.write('letter.txt', 'text');
  file = computer.write('folder/secret', 'secret');
  await backUp();
  // Its pack is lost, or cannot be read either.
  home.blobs.clear();
});
afterEach(() => computer[Symbol.dispose]());

/** Backs up. Returns the paths of the warnings, or what it was refused for. */
async function backUp(options: Parameters<Computer['backUp']>[1] = {}): Promise<unknown> {
  const [outcome] = await computer.backUp([home], options);
  const { report, error } = outcome!;
  if (report) return report.warnings.map(({ path }) => path);
  if (isHoldfastError(error, 'source_unreadable')) return { code: error.code, ...error.details };
  throw error;
}

const refused = () => ({ code: 'source_unreadable', path: file, problem: 'earlier-content', count: 1 });

/** Makes the folder one that this user may not open. */
function lockedFolder() {
  const folder = join(computer.source, 'folder');
  const isWithin = (path: unknown): boolean => String(path).startsWith(folder);
  computer.unreadable.add(file);
  return replacedFs(({ readdirSync, lstatSync }) => ({
    readdirSync: ((path: string, ...rest: []) => {
      if (isWithin(path)) throw systemError('EACCES');
      return readdirSync(path, ...rest);
    }) as typeof readdirSync,
    lstatSync: ((path: string, ...rest: []) => {
      if (isWithin(path) && path !== folder) throw systemError('EACCES');
      return lstatSync(path, ...rest);
    }) as typeof lstatSync,
  }));
}

describe('what neither the disk nor the destination gives out', () => {
  test('is never recorded as deleted, however often', async () => {
    {
      using _fs = lockedFolder();
      for (let run = 1; run <= 3; run += 1) expect(await backUp()).toEqual(refused());
    }
    computer.unreadable.clear();
    expect(await backUp()).toEqual([]);
    await computer.expectRestored(home);
  });

  test('is left out once a person has given it up', async () => {
    using _fs = lockedFolder();
    expect(await backUp()).toEqual(refused());
    expect(await backUp({ accepted: [file] })).toEqual([join(computer.source, 'folder'), file]);
  });
});
