import { execFileSync } from 'node:child_process';
import type { PathLike } from 'node:fs';
import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { HoldfastError, isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { isSound } from '../../../../src/repository/check/report.ts';
import { writeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { replacedFsPromises, systemError } from '../../../helpers/replaced-fs.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';
import { sampled } from '../../../helpers/thorough.ts';
import { Computer, filesIn, hashesIn, Place, StepClock } from './world.ts';

/**
 * What cannot be read is damage of that file or folder, as if it was not there: everything that another copy, parity or the phrase provides goes
 * on. A backup goes on as far as it can write.
 */

let pool: WorkerPool;
let place: Place;
let clock: StepClock;
let alpha: Computer;
let original: string;
let expected: ReadonlyMap<string, string>;
let count = 0;

/** A computer with two restore points, two checkpoints, and as much parity as data. */
beforeAll(async () => {
  pool = new WorkerPool(2);
  place = new Place();
  clock = new StepClock();
  original = place.path('original');
  mkdirSync(original);
  alpha = await Computer.setUp(place.path('alpha'), original, { pool, clock, isNew: true, parity: 100 });
  alpha.write('one.bin', seededBytes(30_000, 'one'));
  await alpha.backUp();
  await writeCheckpoint(alpha.repository.ledger);
  alpha.write('two.bin', seededBytes(20_000, 'two'));
  await alpha.backUp();
  await writeCheckpoint(alpha.repository.ledger);
  await alpha.repository.reserve.keep();
  expected = hashesIn(alpha.source);
});
afterAll(async () => {
  await alpha.close();
  await pool.close();
  place[Symbol.dispose]();
});

let destination: string;

function copy(): void {
  count += 1;
  destination = place.path(`destination-${count}`);
  cpSync(original, destination, { recursive: true });
}

async function newComputer(): Promise<Computer> {
  count += 1;
  const computer = await Computer.setUp(place.path(`computer-${count}`), destination, { pool, clock });
  onTestFinished(() => computer.close());
  return computer;
}

const FILES = {
  'the description': () => 'holdfast.json',
  'its copy': () => 'holdfast-copy.json',
  'a key': () => first('keys/'),
  'a segment': () => first('ledger/'),
  'a checkpoint': () => first('checkpoints/'),
  'a pack': () => first('packs/'),
  parity: () => first('parity/'),
  'the reserve': () => 'reserve/space',
};
const FOLDERS = {
  'the folder of keys': () => 'keys',
  'a ledger': () => dirname(first('ledger/')),
  'all ledgers': () => 'ledger',
  "a computer's checkpoints": () => dirname(first('checkpoints/')),
  'all checkpoints': () => 'checkpoints',
  'a folder of packs': () => dirname(first('packs/')),
  'all packs': () => 'packs',
  'a folder of parity': () => dirname(first('parity/')),
  'all parity': () => 'parity',
  'the folder of the reserve': () => 'reserve',
};

function first(prefix: string): string {
  return filesIn(original).find((name) => name.startsWith(prefix))!;
}

/** Makes calls of the system fail for a name. */
function failing(code: string, calls: 'open' | 'read' | 'list'): (name: string) => void {
  return (name) => {
    const path = `${destination}/${name}`;
    let isThere = true;
    const isHit = (found: PathLike | FileHandle): boolean =>
      isThere && typeof found === 'string' && found.replace(/\/$/, '') === path;
    const check = (found: PathLike | FileHandle): void => {
      if (isHit(found)) throw systemError(code);
    };
    const replaced = replacedFsPromises((fs) => ({
      open: async (found, ...rest) => {
        if (calls === 'open') check(found);
        const handle = await fs.open(found, ...rest);
        const fails = calls === 'read' && isHit(found);
        return fails ? Object.assign(handle, { read: () => Promise.reject(systemError(code)) }) : handle;
      },
      readFile: (async (found: PathLike | FileHandle, ...rest: [never]) => {
        if (calls !== 'list') check(found);
        return await fs.readFile(found, ...rest);
      }) as typeof fs.readFile,
      // What takes its place is in another place of the disk.
      rename: async (from, to) => {
        await fs.rename(from, to);
        if (from === path) isThere = false;
      },
      unlink: async (found) => {
        await fs.unlink(found);
        if (found === path) isThere = false;
      },
      opendir: async (found, ...rest) => {
        if (calls === 'list') check(found);
        return await fs.opendir(found, ...rest);
      },
      readdir: (async (found: PathLike, ...rest: [never]) => {
        if (calls === 'list') check(found);
        return await fs.readdir(found, ...rest);
      }) as unknown as typeof fs.readdir,
    }));
    onTestFinished(() => replaced[Symbol.dispose]());
  };
}

/** Puts something else in the place of a name. */
function instead(make: (path: string) => void): (name: string) => void {
  return (name) => {
    const path = `${destination}/${name}`;
    rmSync(path, { recursive: true });
    make(path);
  };
}

const NO_FILE = {
  'a pipe': instead((path) => execFileSync('mkfifo', [path])),
  'a link to itself': instead((path) => symlinkSync(path, path)),
};
const FILE_FAULTS = {
  'EIO when it is opened': failing('EIO', 'open'),
  'EIO when it is read': failing('EIO', 'read'),
  EUCLEAN: failing('Unknown system error -117', 'open'),
  EACCES: failing('EACCES', 'open'),
  ...NO_FILE,
  'a folder': instead((path) => mkdirSync(path)),
};
const FOLDER_FAULTS = {
  'EIO when it is listed': failing('EIO', 'list'),
  EACCES: failing('EACCES', 'list'),
  ...NO_FILE,
  'a file': instead((path) => writeFileSync(path, 'x')),
};

function rowsOf(
  names: Readonly<Record<string, () => string>>,
  faults: Readonly<Record<string, (name: string) => void>>,
): { what: string; fault: string; name: () => string; apply: (name: string) => void }[] {
  return Object.entries(names).flatMap(([what, name]) =>
    Object.entries(faults).map(([fault, apply]) => ({ what, fault, name, apply })),
  );
}

const ROWS = [...rowsOf(FILES, FILE_FAULTS), ...rowsOf(FOLDERS, FOLDER_FAULTS)];

/** What is no folder in the place of these is in the way of everything that a backup writes. */
const NEEDED = new Set(['packs', 'ledger', 'parity']);

describe.each(sampled(ROWS, 7))('$what: $fault', ({ what, fault, name, apply }) => {
  const isListed = fault === 'EACCES' || fault.startsWith('E');
  const isLinkOfData =
    fault === 'a link to itself' && NEEDED.has(what.replace('all ', '').replace('ledgers', 'ledger'));

  test('a new computer restores everything, and a check names it', async () => {
    copy();
    apply(name());
    const fresh = await newComputer();
    // Without any segment and checkpoint nothing is listed until a repair; a checkpoint stands for a ledger.
    const points = await new RepositoryClient(fresh.repository).restorePoints(alpha.id, 'documents');
    expect(points).toHaveLength(2);
    const to = `${fresh.folder}/restored`;
    const { failures } = await fresh.restore(alpha.id, Date.parse(points[0]!.restore_point), to);
    expect(failures).toEqual([]);
    expect([...hashesIn(to).values()].toSorted()).toEqual([...expected.values()].toSorted());
    const report = await fresh.check(100);
    // Another checkpoint stands for a checkpoint or a segment that is gone, and nobody needs the reserve.
    const isNeeded = !/reserve|checkpoint|segment/.test(what);
    if (isNeeded) expect(isSound(report)).toBe(false);
    if (isListed && what !== 'the reserve') expect(report.findings.map(({ file }) => file)).toContain(name());
  });

  test('a backup goes on, or says why; a repair leaves what works', async () => {
    copy();
    const computer = await newComputer();
    computer.write('own.bin', seededBytes(10_000, 'own'));
    await computer.backUp();
    apply(name());
    computer.write('more.bin', seededBytes(10_000, 'more'));
    const isNeeded = NEEDED.has(name()) && (!isListed || name() === 'packs');
    const backup = computer.repository.keepReserve().then(() => computer.backUp());
    if (isNeeded) await expect(backup).rejects.toSatisfy((error) => isHoldfastError(error));
    else await backup;
    if (isLinkOfData || (isListed && name() === 'packs')) return;
    const { after } = await computer.repair(100);
    const left = after.findings.map(({ file }) => file);
    // What cannot be read for lack of rights, and folders whose disk fails, are named and stay.
    if (fault !== 'EACCES' && !fault.includes('listed')) expect(left).toEqual([]);
    await computer.backUp();
    expect(await new RepositoryClient(computer.repository).restorePoints(alpha.id, 'documents')).toHaveLength(2);
  });
});

test('what is no folder in the place of the own ledger is moved aside, and backups go on', async () => {
  for (const make of Object.values(NO_FILE)) {
    copy();
    const computer = await newComputer();
    computer.write('own.bin', seededBytes(10_000, 'own'));
    await computer.backUp();
    make(`ledger/${computer.id}`);
    await computer.repair();
    expect(readdirSync(`${destination}/damaged/ledger`)).toEqual([`${computer.id}.other-1`]);
    expect(lstatSync(`${destination}/ledger/${computer.id}`).isDirectory()).toBe(true);
    computer.write('more.bin', seededBytes(10_000, 'more'));
    await computer.backUp();
    expect(isSound(await computer.check())).toBe(true);
  }
});

test.each(['packs/', 'parity/'])(
  'a pack gets another name where a folder of %s cannot be written to',
  async (prefix) => {
    copy();
    const computer = await newComputer();
    computer.write('own.bin', seededBytes(10_000, 'own'));
    const { storage } = computer.repository;
    const put = storage.put.bind(storage);
    let failures = 0;
    storage.put = async (name, ...rest) => {
      if (!name.startsWith(prefix) || failures === 3) return await put(name, ...rest);
      failures += 1;
      throw new HoldfastError('destination_unwritable', { directory: destination, problem: 'ENOTDIR' });
    };
    await computer.backUp();
    expect(failures).toBe(3);
    expect((await (await newComputer()).check(100)).findings).toEqual([]);
    // A store that nobody can write to is no folder.
    storage.put = () =>
      Promise.reject(new HoldfastError('destination_unwritable', { directory: destination, problem: 'EACCES' }));
    computer.write('more.bin', seededBytes(10_000, 'more'));
    await expect(computer.backUp()).rejects.toMatchObject({ code: 'destination_unwritable' });
  },
);
