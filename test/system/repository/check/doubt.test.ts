import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { isSound } from '../../../../src/repository/check/report.ts';
import type { Doubt } from '../../../../src/repository/doubt.ts';
import { hashOf, packName } from '../../../../src/format/repository/file-names.ts';
import { deleteCoveredSegments, writeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';
import { listAsNewComputer } from '../list-as-new-computer.ts';
import { Computer, filesIn, Place, StepClock } from './world.ts';
import { sampled } from '../../../helpers/thorough.ts';

let pool: WorkerPool;
let place: Place;
let clock: StepClock;
let alpha: Computer;
let beta: Computer;
/** Copies of the destination: with segments alone, and with two checkpoints of alpha in the place of its first segments. */
const made = { plain: { folder: '', points: 6 }, folded: { folder: '', points: 9 } };
let count = 0;

/** Two computers with restore points. Neither has read the last one of alpha. */
beforeAll(async () => {
  pool = new WorkerPool(2);
  place = new Place();
  clock = new StepClock();
  const original = place.path('original');
  mkdirSync(original);
  alpha = await Computer.setUp(place.path('alpha'), original, { pool, clock, isNew: true });
  beta = await Computer.setUp(place.path('beta'), original, { pool, clock });
  const backUp = async (computer: Computer): Promise<void> => {
    count += 1;
    computer.write(`${count}.bin`, seededBytes(2_000, `${count}`));
    await computer.backUp();
  };
  const copyAs = (kind: keyof typeof made): void => {
    made[kind].folder = place.path(kind);
    cpSync(original, made[kind].folder, { recursive: true });
  };
  for (const computer of [beta, alpha, beta, alpha, beta, alpha]) await backUp(computer);
  copyAs('plain');
  for (let run = 0; run < 3; run += 1) {
    if (run > 0) await writeCheckpoint(alpha.repository.ledger);
    await backUp(alpha);
  }
  const { ledger } = alpha.repository;
  await deleteCoveredSegments(ledger, await alpha.repository.refresh());
  copyAs('folded');
});
afterAll(async () => {
  await alpha.close();
  await beta.close();
  await pool.close();
  place[Symbol.dispose]();
});

let destination: string;
/** A copy for each test. */
function copyOf(kind: keyof typeof made): number {
  count += 1;
  destination = place.path(`destination-${count}`);
  cpSync(made[kind].folder, destination, { recursive: true });
  return made[kind].points;
}

function at(name: string): string {
  return `${destination}/${name}`;
}

function names(prefix: string): string[] {
  return filesIn(destination).filter((name) => name.startsWith(prefix));
}

function segments({ id }: Computer): string[] {
  return names(`ledger/${id}/`);
}

async function newComputer(): Promise<Computer> {
  count += 1;
  const computer = await Computer.setUp(place.path(`computer-${count}`), destination, { pool, clock });
  onTestFinished(() => computer.close());
  return computer;
}

/** What a computer lists, and what it is told of that. */
async function read({ repository }: Computer): Promise<{ readonly points: number; readonly doubt: Doubt | undefined }> {
  const { points, doubt } = await listAsNewComputer(repository);
  return { points: points.size, doubt };
}

function flip(name: string): void {
  const bytes = readFileSync(at(name));
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(at(name), bytes);
}

function remove(name: string): void {
  rmSync(at(name), { recursive: true });
}

const DAMAGE: Readonly<Record<string, () => void>> = {
  'a bit of the newest segment is flipped': () => flip(segments(alpha).at(-1)!),
  'a bit of the first segment is flipped': () => flip(segments(alpha)[0]!),
  'a bit of a segment in the middle is flipped': () => flip(segments(alpha)[1]!),
  'the newest segment, which nobody has read, is deleted': () => remove(segments(alpha).at(-1)!),
  'the newest segment, which somebody has read, is deleted': () => remove(segments(beta).at(-1)!),
  'the first segment is deleted': () => remove(segments(alpha)[0]!),
  'a segment in the middle is deleted': () => remove(segments(alpha)[1]!),
  'a segment is empty': () => writeFileSync(at(segments(alpha)[1]!), ''),
  "one computer's ledger is deleted": () => remove(`ledger/${alpha.id}`),
  'all segments are deleted': () => names('ledger/').forEach(remove),
  'the folder of the ledgers is deleted': () => remove('ledger'),
  'a file is in the place of a ledger': () => {
    remove(`ledger/${alpha.id}`);
    writeFileSync(at(`ledger/${alpha.id}`), 'x');
  },
};

/** Damage of a ledger that has checkpoints: the last two stand for all but the last segment. */
const DAMAGE_OF_FOLDED: Readonly<Record<string, () => void>> = {
  'all checkpoints are deleted': () => remove('checkpoints'),
  'both checkpoints are altered': () => names('checkpoints/').forEach(flip),
  'the newest checkpoint and the last segments are deleted': () => {
    remove(names('checkpoints/').at(-1)!);
    segments(alpha).forEach(remove);
  },
  'the folder of the ledgers is deleted': () => remove('ledger'),
  "one computer's ledger is deleted": () => remove(`ledger/${alpha.id}`),
  "one computer's ledger and checkpoints are deleted": () => {
    remove(`ledger/${alpha.id}`);
    remove(`checkpoints/${alpha.id}`);
  },
  'the folders of ledgers and checkpoints are deleted': () => {
    remove('ledger');
    remove('checkpoints');
  },
};

const CASES = [
  ...Object.entries(DAMAGE).map(([what, damage]) => ({ kind: 'plain' as const, what, damage })),
  ...Object.entries(DAMAGE_OF_FOLDED).map(([what, damage]) => ({ kind: 'folded' as const, what, damage })),
];

describe.each(sampled(CASES, 2))('after $what ($kind)', ({ kind, damage, what }) => {
  test('a new computer is told that more may exist; a repair brings it back, and nobody is told again', async () => {
    const all = copyOf(kind);
    damage();
    const fresh = await newComputer();
    const { points, doubt } = await read(fresh);
    expect(points).toBeLessThan(all);
    expect(doubt).toBeDefined();
    // Whoever asks again is told again.
    expect((await read(fresh)).doubt).toBeDefined();
    const report = await fresh.check();
    expect(isSound(report) && report.unfinished.length === 0).toBe(false);
    const { after } = await fresh.repair();
    expect(after).toMatchObject({ findings: [], points: all });
    for (const computer of [fresh, await newComputer()]) {
      expect(await read(computer)).toEqual({ points: all, doubt: undefined });
    }
    // Whatever was lost, people find their computers by name.
    const names = new Map((await new RepositoryClient(fresh.repository).devices()).map(({ id, name }) => [id, name]));
    expect([names.get(alpha.id), names.get(beta.id)]).toEqual(['alpha', 'beta']);
  });

  test('a new computer restores whatever it lists, and writes nothing for that', async () => {
    copyOf(kind);
    damage();
    const before = names('');
    const fresh = await newComputer();
    const client = new RepositoryClient(fresh.repository);
    await read(fresh);
    let restored = 0;
    for (const { id } of [alpha, beta]) {
      for (const { restore_point: point } of await client.restorePoints(id, 'documents').catch(() => [])) {
        const { failures } = await fresh.restore(
          id,
          Date.parse(point),
          place.path(`restored-${count}-${(restored += 1)}`),
        );
        expect(failures).toEqual([]);
      }
    }
    expect(restored).toBe((await read(fresh)).points);
    expect(names('')).toEqual(before);
  });

  test('a computer that had read everything is told', async () => {
    const all = copyOf(kind);
    const known = await newComputer();
    expect(await read(known)).toEqual({ points: all, doubt: undefined });
    damage();
    const { points, doubt } = await read(known);
    expect(points).toBe(all);
    // What was read stays known: a bit that flips in it afterwards hides nothing from this computer, which needs no checkpoints either.
    if (!/flipped|altered|checkpoints are deleted/.test(what)) expect(doubt).toBeDefined();
  });
});

type Get = Computer['repository']['storage']['get'];
type List = Computer['repository']['storage']['list'];

/** Makes files of a store fail to be read, as a disk with bad sectors or files of another user. Returns what ends that. */
function failing({ repository: { storage } }: Computer, prefix: string, problem: string): () => void {
  const [get, list]: [Get, List] = [storage.get.bind(storage), storage.list.bind(storage)];
  const isHit = (name: string): boolean => name.startsWith(prefix);
  storage.get = async (name, range, signal) => {
    if (isHit(name)) throw new HoldfastError('destination_unwritable', { directory: destination, problem });
    return await get(name, range, signal);
  };
  storage.list = async function* (folder, signal, onUnreadable) {
    // Folders and not files: those are named before they are read.
    if (prefix.endsWith('/') && prefix.startsWith(folder)) {
      if (!onUnreadable) throw new HoldfastError('destination_unwritable', { directory: destination, problem });
      onUnreadable(prefix.slice(0, -1), problem === 'EIO' ? 'unreadable' : 'denied', undefined);
    }
    for await (const batch of list(folder, signal, undefined)) {
      yield batch.filter(({ name }) => !prefix.endsWith('/') || !isHit(name));
    }
  };
  // Names alone are those of the list.
  const { listNames } = storage;
  Object.assign(storage, { listNames: undefined });
  return () => Object.assign(storage, { get, list, listNames });
}

describe.each(['EIO', 'EACCES'])('what cannot be read (%s)', (problem) => {
  test.each([
    ['a segment', () => segments(alpha)[1]!],
    ['a folder of segments', () => `ledger/${alpha.id}/`],
    ['all folders of segments', () => 'ledger/'],
  ])('of %s is left out and named, until it can be read again', async (_what, prefix) => {
    const all = copyOf('plain');
    const fresh = await newComputer();
    const end = failing(fresh, prefix(), problem);
    const { points, doubt } = await read(fresh);
    expect(points).toBeLessThan(all);
    expect(doubt).toBeDefined();
    const { findings } = await fresh.check();
    const expected = { file: prefix().replace(/\/$/, ''), problem: problem === 'EIO' ? 'unreadable' : 'denied' };
    expect(findings).toContainEqual(expected);
    end();
    expect(await read(fresh)).toEqual({ points: all, doubt: undefined });
    expect(isSound(await fresh.check())).toBe(true);
  });

  test('a segment that a computer has read before is named as what it is, and not as missing', async () => {
    const all = copyOf('plain');
    const known = await newComputer();
    await read(known);
    const end = failing(known, `ledger/${alpha.id}/`, problem);
    expect(await read(known)).toMatchObject({ points: all, doubt: { ledgerFiles: 1 } });
    end();
    expect(await read(known)).toEqual({ points: all, doubt: undefined });
  });
});

test('a repair leaves files alone that it has no right to read', async () => {
  const all = copyOf('plain');
  const fresh = await newComputer();
  const [segment, pack] = [segments(alpha)[1]!, names('packs/')[0]!];
  const ends = [failing(fresh, segment, 'EACCES'), failing(fresh, pack, 'EACCES')];
  await fresh.repair();
  ends.toReversed().forEach((end) => end());
  expect(names('damaged/')).toEqual([]);
  expect(names('')).toEqual(expect.arrayContaining([segment, pack]));
  expect(isSound(await fresh.check(100))).toBe(true);
  expect(await read(await newComputer())).toEqual({ points: all, doubt: undefined });
});

test('a pack in a folder that cannot be listed is not taken for one that is lost', async () => {
  copyOf('plain');
  const fresh = await newComputer();
  const pack = names('packs/')[0]!;
  const end = failing(fresh, `${pack.slice(0, 'packs/00'.length)}/`, 'EACCES');
  expect((await read(fresh)).doubt).toMatchObject({ unreadPacks: 1 });
  const { findings } = await fresh.check();
  expect(findings).toContainEqual({ file: pack, problem: 'denied' });
  end();
  expect(isSound(await fresh.check())).toBe(true);
});

describe('in a store that lists at a price', () => {
  function likeBucket(computer: Computer): { readonly lists: () => number; readonly gets: () => number } {
    const { storage } = computer.repository;
    Object.assign(storage, { listsAtNoCost: false, listNames: undefined });
    const [get, list]: [Get, List] = [storage.get.bind(storage), storage.list.bind(storage)];
    let [lists, gets] = [0, 0];
    storage.list = (prefix, ...rest) => {
      lists += Number(prefix === 'packs/');
      return list(prefix, ...rest);
    };
    storage.get = (name, ...rest) => {
      gets += Number(name.startsWith('packs/'));
      return get(name, ...rest);
    };
    return { lists: () => lists, gets: () => gets };
  }

  test('a lost segment is found as well', async () => {
    const all = copyOf('plain');
    remove(segments(alpha).at(-1)!);
    const fresh = await newComputer();
    likeBucket(fresh);
    expect(await read(fresh)).toMatchObject({ points: all - 1, doubt: { unnamedPoints: 1 } });
  });

  test('a whole repository costs one listing and no more, and a large one that once a day', async () => {
    copyOf('plain');
    const fresh = await newComputer();
    const counted = likeBucket(fresh);
    for (let run = 1; run <= 3; run += 1) {
      await read(fresh);
      expect([counted.lists(), counted.gets()]).toEqual([run, 0]);
    }
    fresh.repository.projection.packs.count = () => 10_000;
    await read(fresh);
    expect(counted.lists()).toBe(3);
    clock.time += 25 * 3_600_000;
    await read(fresh);
    expect(counted.lists()).toBe(4);
    // Nobody asks: nothing is listed.
    fresh.repository.onRead = undefined;
    clock.time += 25 * 3_600_000;
    await new RepositoryClient(fresh.repository).devices();
    expect(counted.lists()).toBe(4);
  });

  test('packs of a backup that runs are read once, and are no reason to warn', async () => {
    const all = copyOf('plain');
    const writer = await newComputer();
    const { storage } = writer.repository;
    const put = storage.put.bind(storage);
    storage.put = async (name, parts, signal) => {
      if (!name.startsWith('packs/')) throw new Error('killed');
      const outcome = await put(name, parts, signal);
      if (names('packs/').length > before + 1) throw new Error('killed');
      return outcome;
    };
    const before = names('packs/').length;
    for (const name of ['a', 'b', 'c']) writer.write(`${name}.bin`, seededBytes(12_000_000, name));
    await expect(writer.backUp()).rejects.toThrow('killed');
    const added = names('packs/').length - before;
    expect(added).toBeGreaterThan(0);
    const fresh = await newComputer();
    const counted = likeBucket(fresh);
    for (let run = 1; run <= 2; run += 1) {
      expect(await read(fresh)).toEqual({ points: all, doubt: undefined });
      expect(counted.gets()).toBe(added);
    }
  });

  test('packs beyond those that are read are a reason to warn until the next looks', async () => {
    copyOf('plain');
    for (let number = 0; number < 1_003; number += 1) {
      const hash = hashOf(Buffer.from(`${number}`));
      mkdirSync(at(`packs/${hash.slice(0, 2)}`), { recursive: true });
      writeFileSync(at(packName(hash)), '');
    }
    const { doubt } = await read(await newComputer());
    expect(doubt).toMatchObject({ unreadPacks: 3 });
  });
});

test('an older copy of the destination is a reason to warn on a computer that has the newer key', async () => {
  copyOf('plain');
  const fresh = await newComputer();
  fresh.repository.hasLostKey = true;
  expect((await read(fresh)).doubt).toMatchObject({ isOlder: true });
});
