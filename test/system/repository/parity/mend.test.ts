import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { encodeHeader, encodeParity } from '../../../../src/repository/parity/parity-file.ts';
import { Computer, filesIn, Place, StepClock } from '../check/world.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';

let pool: WorkerPool;
let place: Place;
let clock: StepClock;
let computer: Computer;
let destination: string;

beforeAll(() => {
  pool = new WorkerPool(2);
});

afterAll(() => pool.close());

beforeEach(async () => {
  place = new Place();
  clock = new StepClock();
  return async () => {
    await computer.close();
    place[Symbol.dispose]();
  };
});

async function backedUp(parity = 10): Promise<void> {
  destination = place.path('destination');
  mkdirSync(destination);
  computer = await Computer.setUp(place.path('alpha'), destination, { pool, clock, isNew: true, parity });
  computer.write('one.bin', seededBytes(900_000, 'one'));
  await computer.backUp();
  computer.write('two.bin', seededBytes(300_000, 'two'));
  await computer.backUp();
}

function at(name: string): string {
  return place.path('destination', name);
}

function names(folder: 'packs' | 'parity'): string[] {
  return filesIn(destination).filter((name) => name.startsWith(`${folder}/`));
}

/** The pack with the content of the larger file. */
function largestPack(): string {
  return names('packs').toSorted((a, b) => statSync(at(b)).size - statSync(at(a)).size)[0]!;
}

function parityOf(pack: string): string {
  return names('parity').find((name) => name.includes(pack.slice(-64)))!;
}

function change(name: string, alter: (bytes: Buffer) => void): void {
  const bytes = readFileSync(at(name));
  alter(bytes);
  writeFileSync(at(name), bytes);
}

function sha256(name: string): string {
  return createHash('sha256')
    .update(readFileSync(at(name)))
    .digest('hex');
}

async function expectRestored(by = computer): Promise<void> {
  const target = place.path('target');
  rmSync(target, { recursive: true, force: true });
  const { failures } = await by.restore(computer.id, clock.now(), target);
  expect(failures).toEqual([]);
  expect(readFileSync(place.path('target', 'source', 'one.bin')).equals(seededBytes(900_000, 'one'))).toBe(true);
  expect(readFileSync(place.path('target', 'source', 'two.bin')).equals(seededBytes(300_000, 'two'))).toBe(true);
}

const DAMAGES = {
  'random bits': (name: string) =>
    change(name, (bytes) => {
      for (let flip = 0; flip < 12; flip += 1) bytes[Math.floor(Math.random() * bytes.length)]! ^= 1 << (flip % 8);
    }),
  'zeroed sectors': (name: string) => change(name, (bytes) => bytes.fill(0, 4096 * 3, 4096 * 15)),
  'a lost tail': (name: string) => truncateSync(at(name), statSync(at(name)).size - 50_000),
  'bytes that were appended': (name: string) => writeFileSync(at(name), randomBytes(9_000), { flag: 'a' }),
} as const;

describe.each(Object.entries(DAMAGES))('a pack with %s', (_name, damage) => {
  test('is found, restored from as it is, and written again with the same bytes', async () => {
    await backedUp();
    const name = largestPack();
    damage(name);
    await expectRestored();
    const found = await computer.check(100);
    expect(found).toMatchObject({ findings: [{ file: name, isMendable: true }], losses: [] });
    const report = await computer.repair(100);
    expect(report).toMatchObject({
      files: [{ file: name, outcome: 'mended' }],
      lostPoints: [],
      rescuedChunks: 0,
      after: { findings: [], losses: [] },
    });
    expect(name.endsWith(sha256(name))).toBe(true);
    expect(await computer.check(100)).toMatchObject({ findings: [], losses: [], isProjectionSound: true });
    await expectRestored();
  });
});

test('a repair without reading everything mends what an earlier check has found', async () => {
  await backedUp();
  const name = largestPack();
  change(name, (bytes) => bytes.fill(0, 10_000, 20_000));
  await computer.check(100);
  expect(await computer.repair()).toMatchObject({ files: [{ file: name, outcome: 'mended' }] });
  expect(name.endsWith(sha256(name))).toBe(true);
});

test('a check tries again what could not be mended before', async () => {
  await backedUp();
  const name = largestPack();
  change(name, (bytes) => bytes.fill(0, 10_000, 20_000));
  const own = parityOf(name);
  renameSync(at(own), place.path('away'));
  expect((await computer.check(100)).findings).toContainEqual({ file: name, problem: 'hash' });
  renameSync(place.path('away'), at(own));
  expect(await computer.check(100)).toMatchObject({ findings: [{ file: name, isMendable: true }], losses: [] });
});

test('a lost pack comes back from parity of 100 %', async () => {
  await backedUp(100);
  const name = largestPack();
  rmSync(at(name));
  await expectRestored();
  expect(await computer.check()).toMatchObject({
    findings: [{ file: name, problem: 'missing', isMendable: true }],
    losses: [],
  });
  expect(await computer.repair()).toMatchObject({ after: { findings: [] }, lostPoints: [] });
  expect(name.endsWith(sha256(name))).toBe(true);
  await expectRestored();
});

test('beyond the budget the losses are named, and a repair and a backup do what they do without parity', async () => {
  await backedUp();
  const name = largestPack();
  change(name, (bytes) => bytes.fill(0, 0, bytes.length >> 1));
  const found = await computer.check(100);
  expect(found.findings).toEqual([{ file: name, problem: 'hash' }]);
  expect(found.lossesTotal).toBeGreaterThan(0);
  const report = await computer.repair(100);
  expect(report.files).toEqual([{ file: name, outcome: 'moved' }]);
  expect(report.rescuedChunks).toBeGreaterThan(0);
  await computer.backUp();
  expect(await computer.check(100)).toMatchObject({ findings: [], losses: [] });
  await expectRestored();
});

describe('a repair that was killed', () => {
  test('after it moved the damaged pack aside goes on with the bytes there', async () => {
    await backedUp();
    const name = largestPack();
    change(name, (bytes) => bytes.fill(0, 10_000, 20_000));
    mkdirSync(dirname(at(`damaged/${name}`)), { recursive: true });
    renameSync(at(name), at(`damaged/${name}`));
    await expectRestored();
    expect(await computer.repair()).toMatchObject({ files: [{ file: name, outcome: 'mended' }] });
    expect(name.endsWith(sha256(name))).toBe(true);
  });

  test('after it copied the damaged pack leaves it where it is', async () => {
    await backedUp();
    const name = largestPack();
    change(name, (bytes) => bytes.fill(0, 10_000, 20_000));
    mkdirSync(dirname(at(`damaged/${name}`)), { recursive: true });
    writeFileSync(at(`damaged/${name}`), readFileSync(at(name)));
    expect(await computer.repair(100)).toMatchObject({ files: [{ file: name, outcome: 'mended' }] });
    expect(name.endsWith(sha256(name))).toBe(true);
  });
});

describe('parity that is', () => {
  const CHANGES = {
    removed: (name: string) => rmSync(at(name)),
    altered: (name: string) => change(name, (bytes) => (bytes[100]! ^= 1)),
    truncated: (name: string) => truncateSync(at(name), 1_000),
    empty: (name: string) => truncateSync(at(name), 0),
  } as const;

  test.each(Object.entries(CHANGES))('%s is found and computed again by a repair', async (_name, alter) => {
    await backedUp();
    const name = parityOf(largestPack());
    alter(name);
    const { findings, losses } = await computer.check(100);
    expect(findings).toHaveLength(1);
    expect(name.startsWith(findings[0]!.file)).toBe(true);
    expect(losses).toEqual([]);
    expect(await computer.repair(100)).toMatchObject({
      files: [{ file: findings[0]!.file, outcome: 'renewed' }],
      after: { findings: [] },
    });
    expect(name.endsWith(sha256(name))).toBe(true);
    expect(await computer.check(100)).toMatchObject({ findings: [], losses: [] });
    await expectRestored();
  });

  test('damaged together with its pack stays, since the pack is not proven', async () => {
    await backedUp();
    const pack = largestPack();
    const name = parityOf(pack);
    change(pack, (bytes) => bytes.fill(0, 10_000, 20_000));
    truncateSync(at(name), 64);
    await computer.repair(100);
    expect(names('parity')).toContain(name);
  });

  test('damaged a little still mends its pack, and is then computed again', async () => {
    await backedUp();
    const pack = largestPack();
    const name = parityOf(pack);
    change(pack, (bytes) => bytes.fill(0, 10_000, 20_000));
    change(name, (bytes) => bytes.fill(0, 0, 600));
    expect(await computer.repair(100)).toMatchObject({ after: { findings: [] } });
    expect(pack.endsWith(sha256(pack))).toBe(true);
    expect(name.endsWith(sha256(name))).toBe(true);
  });
});

describe('parity that somebody else put there', () => {
  const FILES = {
    'of another pack': () => encodeParity(randomBytes(500_000), 10),
    'of zeros': () => Buffer.alloc(500_000),
    'that states a pack of 128 MiB': (pack: string) => {
      const header = encodeHeader({ pack: pack.slice(-64), packBytes: 128 * 1024 * 1024, percent: 100 });
      return Buffer.concat([header, Buffer.alloc(1000), header]);
    },
  } as const;

  test.each(Object.entries(FILES))('%s is found, changes nothing, and goes with a repair', async (_name, bytesFor) => {
    await backedUp();
    const pack = largestPack();
    const own = parityOf(pack);
    const bytes = bytesFor(pack);
    const name = `${own.slice(0, -64)}${createHash('sha256').update(bytes).digest('hex')}`;
    writeFileSync(at(name), bytes);
    change(pack, (file) => file.fill(0, 10_000, 20_000));
    await expectRestored();
    expect((await computer.check(100)).findings).toEqual(
      expect.arrayContaining([
        { file: pack, problem: 'hash', isMendable: true },
        { file: name, problem: 'length' },
      ]),
    );
    expect(await computer.repair(100)).toMatchObject({ after: { findings: [] } });
    expect(pack.endsWith(sha256(pack))).toBe(true);
    expect(names('parity')).not.toContain(name);
    expect(names('parity')).toContain(own);
  });

  test('is left out of account where it has no name of ours', async () => {
    await backedUp();
    writeFileSync(at(`parity/${'0'.repeat(64)}`), 'foreign');
    mkdirSync(at('parity/zz'));
    writeFileSync(at(`parity/zz/${'a'.repeat(64)}-${'b'.repeat(64)}`), 'foreign');
    expect(await computer.check(100)).toMatchObject({ findings: [] });
  });
});

test('every pack has its parity when a backup is complete', async () => {
  await backedUp();
  const packs = names('packs');
  expect(names('parity').map((name) => name.slice(10, 74))).toEqual(packs.map((name) => name.slice(-64)).toSorted());
  const { parity } = await computer.check();
  expect(parity.files).toBe(packs.length);
  expect(parity.bytes).toBe(names('parity').reduce((sum, name) => sum + statSync(at(name)).size, 0));
});

test('a repository without parity has no folder of that name, and no findings', async () => {
  await backedUp(0);
  expect(readdirSync(destination)).not.toContain('parity');
  expect(await computer.check(100)).toMatchObject({ findings: [], parity: { files: 0, bytes: 0 } });
});

test('a lost description comes back with the share', async () => {
  await backedUp(25);
  const bytes = readFileSync(at('holdfast.json'));
  rmSync(at('holdfast.json'));
  const other = await Computer.setUp(place.path('beta'), destination, { pool, clock });
  await other.repair();
  await other.close();
  expect(readFileSync(at('holdfast.json')).equals(bytes)).toBe(true);
  expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({ parity: 25 });
});

test('the chunks of a damaged pack are copied as parity gives them when the store forbids deletion', async () => {
  await backedUp();
  const name = largestPack();
  change(name, (bytes) => bytes.fill(0, 10_000, 20_000));
  const { storage } = computer.repository;
  storage.delete = () =>
    Promise.reject(new HoldfastError('permission_denied', { address: destination, reason: 'EPERM' }));
  storage.move = storage.delete as never;
  const blobs = computer.repository.projection.packs
    .stored()
    .find(({ hash }) => name.endsWith(hash.toString('hex')))!.blobs;
  const report = await computer.repair(100);
  expect(report).toMatchObject({
    files: [{ file: name, outcome: 'kept' }],
    rescuedChunks: blobs.length,
    lostPoints: [],
    after: { findings: [], losses: [] },
  });
  // The new pack has parity, too.
  expect(await computer.check(100)).toMatchObject({ findings: [], losses: [], isProjectionSound: true });
  expect(names('parity')).toHaveLength(names('packs').length);
  rmSync(at(name));
  await expectRestored();
});

test('a repository reads the same without its parity files', async () => {
  await backedUp();
  rmSync(at('parity'), { recursive: true });
  await expectRestored();
  const other = await Computer.setUp(place.path('beta'), destination, { pool, clock });
  try {
    const { findings, losses } = await other.check(100);
    expect(findings.map(({ file }) => file.slice(0, 7))).toEqual(names('packs').map(() => 'parity/'));
    expect(losses).toEqual([]);
    rmSync(place.path('target'), { recursive: true });
    const { failures } = await other.restore(computer.id, clock.now(), place.path('target'));
    expect(failures).toEqual([]);
  } finally {
    await other.close();
  }
});

test('a new computer mends, too', async () => {
  await backedUp();
  const name = largestPack();
  change(name, (bytes) => bytes.fill(0, bytes.length - 3_000));
  const other = await Computer.setUp(place.path('beta'), destination, { pool, clock });
  try {
    await expectRestored(other);
    expect(await other.repair()).toMatchObject({ files: [{ file: name, outcome: 'mended' }] });
    expect(name.endsWith(sha256(name))).toBe(true);
  } finally {
    await other.close();
  }
});

describe('with as much parity as data, a repository without any of its packs', () => {
  async function expectWhole(by: Computer, points: number): Promise<void> {
    const { after } = await by.repair(100);
    expect(after).toMatchObject({ findings: [], losses: [], points });
    expect((await by.check(100)).findings).toEqual([]);
    expect(names('packs').map(sha256)).toEqual(names('packs').map((name) => name.slice(-64)));
  }

  test('is repaired on its computer and on a new one, also twice', async () => {
    await backedUp(100);
    const packs = names('packs');
    expect(packs.length).toBeGreaterThan(1);
    for (const by of [computer, await Computer.setUp(place.path('beta'), destination, { pool, clock })]) {
      rmSync(at('packs'), { recursive: true });
      await expectWhole(by, 2);
      expect(names('packs')).toEqual(expect.arrayContaining(packs));
      await expectRestored(by);
      if (by !== computer) await by.close();
    }
  });

  test('and without its ledgers is one that may have backups, and comes back', async () => {
    await backedUp(100);
    const packs = names('packs').length;
    rmSync(at('packs'), { recursive: true });
    rmSync(at('ledger'), { recursive: true });
    const fresh = await Computer.setUp(place.path('fresh'), destination, { pool, clock });
    const doubts: unknown[] = [];
    fresh.repository.onRead = (doubt) => doubts.push(doubt);
    const client = new RepositoryClient(fresh.repository);
    expect(await client.restorePoints(computer.id, 'documents')).toEqual([]);
    expect(doubts).toEqual([expect.objectContaining({ unreadPacks: packs })]);
    expect((await fresh.check()).findings.map(({ problem }) => problem)).toEqual(Array<string>(packs).fill('missing'));
    await expectWhole(fresh, 2);
    await client.devices();
    expect(doubts.at(-1)).toBeUndefined();
    await fresh.close();
  });

  test('is refused by a repair where there is less parity', async () => {
    await backedUp(50);
    rmSync(at('packs'), { recursive: true });
    await expect(computer.repair()).rejects.toMatchObject({ code: 'destination_missing' });
  });
});
