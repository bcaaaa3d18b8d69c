import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { packName } from '../../../../src/format/repository/file-names.ts';
import { encodePackEnd } from '../../../../src/format/repository/pack-file.ts';
import { writeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import { isSound } from '../../../../src/repository/check/report.ts';
import { Collector } from '../../../../src/repository/collect/collector.ts';
import { Computer, filesIn, Place, StepClock } from './world.ts';
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
  destination = place.path('destination');
  mkdirSync(destination);
  computer = await Computer.setUp(place.path('alpha'), destination, { pool, clock, isNew: true });
  computer.write('one.bin', seededBytes(500_000, 'one'));
  await computer.backUp();
  computer.write('two.bin', seededBytes(300_000, 'two'));
  await computer.backUp();
  return async () => {
    await computer.close();
    place[Symbol.dispose]();
  };
});

function packs(): string[] {
  return filesIn(destination).filter((name) => name.startsWith('packs/'));
}

/** The pack with a file's content. */
function packOf(content: 'first' | 'second'): string {
  return packs().toSorted((a, b) => statSync(at(b)).size - statSync(at(a)).size)[content === 'first' ? 0 : 1]!;
}

/** The packs with the tree of the run that stored a file: two of them. */
function packsOf(content: 'first' | 'second'): readonly string[] {
  const { packs: table } = computer.repository.projection;
  const name = packOf(content);
  const pack = [...table.stored()].find(({ hash }) => name.endsWith(hash.toString('hex')))!;
  const footer = pack.blobs.findLast(({ kind }) => kind === 'tree')!;
  const names = table.locate(footer.digest).map(({ packHash }) => packName(packHash));
  expect(names).toHaveLength(2);
  return names;
}

/** Takes files away. Returns what brings them back. */
function away(names: readonly string[]): () => void {
  const contents = names.map((name) => readFileSync(at(name)));
  for (const name of names) rmSync(at(name));
  return () => names.forEach((name, index) => writeFileSync(at(name), contents[index]!));
}

function at(name: string): string {
  return place.path('destination', name);
}

const DAMAGES = {
  removed: (file: string) => rmSync(file),
  truncated: (file: string) => truncateSync(file, 1_000),
  altered: (file: string) => {
    const bytes = readFileSync(file);
    bytes[1_000]! ^= 1;
    writeFileSync(file, bytes);
  },
} as const;

describe.each(Object.entries(DAMAGES))('a pack that is %s', (_name, damage) => {
  test.each(['first', 'second'] as const)('is sound again after a repair and a backup: the %s', async (content) => {
    damage(at(packOf(content)));
    expect(isSound(await computer.check(100))).toBe(false);
    await computer.repair(100);
    await computer.backUp();
    expect(await computer.check(100)).toMatchObject({ findings: [], losses: [], isProjectionSound: true });
    const target = place.path('target');
    await computer.restore(computer.id, clock.now(), target);
    expect(readFileSync(place.path('target', 'source', 'one.bin'))).toEqual(seededBytes(500_000, 'one'));
    expect(readFileSync(place.path('target', 'source', 'two.bin'))).toEqual(seededBytes(300_000, 'two'));
  });
});

test('the next backup stores again what a check found damaged, without a repair', async () => {
  rmSync(at(packOf('first')));
  await computer.check();
  await computer.backUp();
  const { failures } = await computer.restore(computer.id, clock.now(), place.path('target'));
  expect(failures).toEqual([]);
});

test('a pack whose table is another one than in the ledger is found', async () => {
  const name = packOf('first');
  const { repositoryKeys, id, projection } = computer.repository;
  const pack = [...projection.packs.stored()].find(({ hash }) => name.endsWith(hash.toString('hex')))!;
  const other = Buffer.from(pack.contents);
  other[0]! ^= 1;
  const end = encodePackEnd(repositoryKeys.pack, id, other);
  writeFileSync(at(name), Buffer.concat([readFileSync(at(name)).subarray(0, -end.length), end]));
  expect(await computer.check()).toMatchObject({ findings: [{ file: name, problem: 'content' }] });
});

describe('a tree that is altered is found without reading everything', () => {
  /** Alters the copies of a tree in the order in which they are read. */
  function alter(copies: number): Buffer {
    const { points, packs: table } = computer.repository.projection;
    const { tree } = points.all()[0]!;
    for (const { packHash, offset } of table.locate(tree).slice(0, copies)) {
      const file = at(packName(packHash));
      const bytes = readFileSync(file);
      bytes[offset + 20]! ^= 1;
      writeFileSync(file, bytes);
    }
    return tree;
  }

  test('and no backup counts on it', async () => {
    const tree = alter(2);
    expect(await computer.check()).toMatchObject({
      findings: [{ problem: 'hash' }, { problem: 'hash' }],
      losses: [{ path: undefined }],
      inOnePack: { blobs: 0 },
    });
    expect(computer.repository.projection.packs.packWith(tree)).toBeUndefined();
  });

  test('and costs nothing while the other copy is sound, until the next backup stores it once more', async () => {
    const tree = alter(1);
    const report = await computer.check();
    expect(report).toMatchObject({ findings: [{ problem: 'hash' }], losses: [], inOnePack: { blobs: 1 } });
    expect(report.inOnePack.bytes).toBeGreaterThan(0);
    await computer.backUp();
    expect(await computer.check()).toMatchObject({ losses: [], inOnePack: { blobs: 0, bytes: 0 } });
    expect(computer.repository.projection.packs.packsWith(tree)).toHaveLength(2);
  });

  test('and a repair stores it once more', async () => {
    const tree = alter(1);
    await computer.check();
    const { secondCopies, after } = await computer.repair();
    expect(secondCopies).toBe(1);
    expect(after).toMatchObject({ findings: [], losses: [], inOnePack: { blobs: 0 } });
    expect(computer.repository.projection.packs.packsWith(tree)).toHaveLength(2);
  });
});

test('a checkpoint stands for a ledger whose segments are all gone: later ones may be, which is damage until a repair', async () => {
  await writeCheckpoint(computer.repository.ledger);
  const [newest] = filesIn(destination)
    .filter((name) => name.startsWith('ledger/'))
    .slice(-1);
  rmSync(at('ledger'), { recursive: true });
  const fresh = await Computer.setUp(place.path('gamma'), destination, { pool, clock });
  const found = { findings: [{ file: newest, problem: 'missing' }], losses: [], points: 2 };
  expect(await fresh.check()).toMatchObject(found);
  expect(await fresh.check()).toMatchObject(found);
  expect((await fresh.repair()).after).toMatchObject({ findings: [], losses: [], points: 2 });
  await fresh.close();
});

test('a description that lacks only its end is found and written again', async () => {
  const bytes = readFileSync(at('holdfast.json'));
  truncateSync(at('holdfast.json'), bytes.length - 1);
  expect(await computer.check()).toMatchObject({ findings: [{ file: 'holdfast.json', problem: 'content' }] });
  await computer.repair();
  expect(readFileSync(at('holdfast.json'))).toEqual(bytes);
});

test('a file that is there again is sound again', async () => {
  const file = at(packOf('first'));
  const bytes = readFileSync(file);
  rmSync(file);
  expect(isSound(await computer.check())).toBe(false);
  expect(computer.repository.projection.packs.hasUncountable()).toBe(true);
  writeFileSync(file, bytes);
  expect(isSound(await computer.check())).toBe(true);
  expect(computer.repository.projection.packs.hasUncountable()).toBe(false);
});

test('damage that only reading finds is found again until everything is read', async () => {
  const name = packOf('first');
  const bytes = readFileSync(at(name));
  DAMAGES.altered(at(name));
  expect(isSound(await computer.check())).toBe(true);
  expect(await computer.check(100)).toMatchObject({ findings: [{ file: name, problem: 'hash' }] });
  expect(await computer.check()).toMatchObject({ findings: [{ file: name, problem: 'hash' }] });
  writeFileSync(at(name), bytes);
  expect(isSound(await computer.check(100))).toBe(true);
  expect(isSound(await computer.check())).toBe(true);
});

test('a pack that comes back after a repair gives back what was lost', async () => {
  const bringBack = away(packsOf('first'));
  expect((await computer.repair()).lostPoints).toHaveLength(1);
  bringBack();
  const { after } = await computer.repair();
  expect(after).toMatchObject({ losses: [], points: 2 });
});

test('restore points come back with their packs when nothing else is lost', async () => {
  const names = packsOf('second');
  const bringBack = away(names);
  const { lostPoints, after } = await computer.repair();
  expect(lostPoints).toHaveLength(1);
  expect(after).toMatchObject({ losses: [], points: 1 });
  bringBack();
  const repaired = await computer.repair();
  expect(repaired.after).toMatchObject({ findings: [], losses: [], points: 2, leftOver: { files: 0 } });
  // The files themselves are used again.
  expect(packs()).toEqual(expect.arrayContaining([...names]));
  const fresh = await Computer.setUp(place.path('gamma'), destination, { pool, clock });
  const { failures } = await fresh.restore(computer.id, clock.now(), place.path('target'));
  expect(failures).toEqual([]);
  expect(readFileSync(place.path('target', 'source', 'two.bin'))).toEqual(seededBytes(300_000, 'two'));
  await fresh.close();
  // They can be lost, and come back, again.
  away(names);
  expect((await computer.repair()).after).toMatchObject({ points: 1 });
  bringBack();
  expect((await computer.repair()).after).toMatchObject({ points: 2 });
});

test('a point that was recovered and withdrawn comes back, too', async () => {
  const names = packsOf('second');
  for (const file of filesIn(destination).filter((entry) => entry.startsWith('ledger/'))) rmSync(at(file));
  const repaired = async (home: string) => {
    const fresh = await Computer.setUp(place.path(home), destination, { pool, clock });
    const report = await fresh.repair();
    await fresh.close();
    return report;
  };
  expect((await repaired('gamma')).recoveredPoints).toHaveLength(2);
  const bringBack = away(names);
  expect((await repaired('delta')).after).toMatchObject({ points: 1 });
  bringBack();
  expect((await repaired('epsilon')).after).toMatchObject({ losses: [], points: 2 });
});

test('a checkpoint keeps the points that were withdrawn', async () => {
  const bringBack = away(packsOf('second'));
  const before = computer.repository.projection.points.all().map(({ id }) => id.toString('hex'));
  expect((await computer.repair()).lostPoints).toHaveLength(1);
  await writeCheckpoint(computer.repository.ledger);
  for (const file of filesIn(destination).filter((entry) => entry.startsWith('ledger/'))) rmSync(at(file));
  bringBack();
  const fresh = await Computer.setUp(place.path('gamma'), destination, { pool, clock });
  expect((await fresh.repair()).after).toMatchObject({ losses: [], points: 2 });
  const ids = fresh.repository.projection.points.all().map(({ id }) => id.toString('hex'));
  expect(ids.toSorted()).toEqual(before.toSorted());
  await fresh.close();
});

test('what an altered pack has is not used again while it is altered', async () => {
  const name = packOf('first');
  DAMAGES.altered(at(name));
  const altered = readFileSync(at(name));
  await computer.repair(100);
  writeFileSync(at(name), altered);
  const { after, adoptedPacks } = await computer.repair();
  expect(adoptedPacks).toBe(0);
  expect(after.leftOver.files).toBe(1);
});

test('a repair gives up all packs that ledgers name when another one shows that the folder is there', async () => {
  const named = packs();
  const other = await Computer.setUp(place.path('beta'), destination, { pool, clock });
  other.write('three.bin', seededBytes(200_000, 'three'));
  await other.backUp();
  rmSync(at(`ledger/${other.id}`), { recursive: true });
  for (const name of named) rmSync(at(name));
  const fresh = await Computer.setUp(place.path('gamma'), destination, { pool, clock });
  const { after, recoveredPoints } = await fresh.repair();
  expect(recoveredPoints).toHaveLength(1);
  // The key envelope was stored once, in a pack that is gone.
  expect(after).toMatchObject({ findings: [], losses: [{ path: '/.holdfast/keys' }], points: 1 });
  await fresh.close();
  await other.close();
});

test('what was damaged is kept', async () => {
  const name = packOf('first');
  DAMAGES.truncated(at(name));
  const bytes = readFileSync(at(name));
  const { files } = await computer.repair();
  expect(files).toEqual([{ file: name, outcome: 'moved' }]);
  expect(readFileSync(at(`damaged/${name}`))).toEqual(bytes);
  expect(packs()).not.toContain(name);
});

test('a collection after a repair waits for what may come back', async () => {
  DAMAGES.removed(at(packOf('first')));
  await computer.repair();
  const collection = await new Collector(computer.repository).collect();
  expect(collection).toMatchObject({ stoppedBy: 'loss', condemned: 0, deleted: 0 });
});

test('a projection that differs from the ledgers is found, and built anew', async () => {
  const { projection } = computer.repository;
  projection.database.exec('DELETE FROM chunk');
  projection.database.exec("UPDATE point SET set_name = 'other'");
  expect(await computer.check()).toMatchObject({ isProjectionSound: false });
  const { after } = await computer.repair();
  expect(after).toMatchObject({ isProjectionSound: true, losses: [], points: 2 });
});

test('what this computer remembers of a lost segment is stated again', async () => {
  const [point] = computer.repository.projection.points.all();
  await computer.repository.append(() => [{ kind: 'pin', point: point!.id, time: 1 }]);
  const names = filesIn(destination).filter((name) => name.startsWith('ledger/'));
  for (const name of names) rmSync(at(name));
  const { restatedFacts, after, recoveredPoints } = await computer.repair();
  expect(restatedFacts).toBeGreaterThan(0);
  expect(recoveredPoints).toEqual([]);
  expect(after).toMatchObject({ findings: [], losses: [], points: 2 });
  expect(computer.repository.projection.points.find(point!.id)).toMatchObject({ isPinned: true, time: point!.time });
});

test('another computer sees one restore point after a repair that recovered it', async () => {
  const other = await Computer.setUp(place.path('beta'), destination, { pool, clock });
  await other.repository.refresh();
  for (const name of filesIn(destination).filter((file) => file.startsWith('ledger/'))) rmSync(at(name));
  const fresh = await Computer.setUp(place.path('gamma'), destination, { pool, clock });
  const { recoveredPoints } = await fresh.repair();
  expect(recoveredPoints).toHaveLength(2);
  await other.repository.refresh();
  const treesIn = ({ repository: { projection } }: Computer): string[] =>
    projection.points.all().map(({ tree }) => tree.toString('hex'));
  expect(treesIn(other)).toHaveLength(2);
  expect(treesIn(other)).toEqual(treesIn(fresh));
  await other.close();
  await fresh.close();
});

test('names, paths and hashes of content are nowhere in the clear', async () => {
  computer.write('a secret name.txt', 'a secret content');
  await computer.backUp();
  await computer.repair(100);
  const { packs: table } = computer.repository.projection;
  const digests = [...table.digestsOf('data'), ...table.digestsOf('tree')];
  expect(digests.length).toBeGreaterThan(4);
  const secrets = [
    ...['a secret', 'source', 'alpha', 'documents', 'one.bin'].map((text) => Buffer.from(text)),
    ...digests.flatMap((digest) => [
      digest,
      Buffer.from(digest.toString('hex')),
      Buffer.from(digest.toString('base64')),
    ]),
    Buffer.from(computer.id, 'hex'),
  ];
  const files = filesIn(destination);
  expect(files.filter((name) => digests.some((digest) => name.includes(digest.toString('hex'))))).toEqual([]);
  const found = files.filter((name) => secrets.some((secret) => readFileSync(at(name)).includes(secret)));
  expect(found).toEqual([]);
});
