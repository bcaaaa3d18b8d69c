import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WriterLimit } from '../../../../src/format/crypto/key-envelope.ts';
import { newMasterKey, type KeyRing } from '../../../../src/format/crypto/keys.ts';
import type { Fact } from '../../../../src/format/repository/facts.ts';
import { hashOf, LEDGER_FOLDER, parseLedgerName } from '../../../../src/format/repository/file-names.ts';
import { deriveRepositoryKeys } from '../../../../src/format/repository/keys.ts';
import { encodeSegment } from '../../../../src/format/repository/segment.ts';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import { writeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import { Repository } from '../../../../src/repository/repository.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { chunksOf, createWorld, Device, removeFolder, temporaryFolder, WorldTime, type WorldKeys } from '../world.ts';

let folder: string;
let files: MemoryFiles;
let keys: WorldKeys;
let time: WorldTime;
let thief: Device;
let point: Buffer;
let readers: Repository[];
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  keys = await createWorld(new MemoryStorage(files), time);
  readers = [];
  using one = new Device(keys, time, { name: 'one', storage: new MemoryStorage(files), folder });
  point = Buffer.from(await one.backup('set', chunksOf(1)), 'hex');
  thief = new Device(keys, time, { name: 'thief', storage: new MemoryStorage(files), folder });
  for (let run = 0; run < 4; run += 1) await thief.backup('stolen', chunksOf(1));
});
afterEach(() => {
  for (const reader of readers) reader[Symbol.dispose]();
  thief[Symbol.dispose]();
  removeFolder(folder);
});

const segments = () =>
  [...files.keys()]
    .filter((name) => name.startsWith(`${LEDGER_FOLDER}${thief.writerKey.id}/`))
    .toSorted()
    .map((name) => parseLedgerName(name)!);

/** Opens the repository after a rotation that removed the thief. */
function reader(name: string, checkpoints: readonly string[] = []): Repository {
  const { number, hash } = segments().at(-1)!;
  const writers = new Map<string, WriterLimit>();
  for (const { id } of thief.repository.projection.ledgers.writers()) writers.set(id, { epoch: 1 });
  writers.set(thief.writerKey.id, { epoch: 1, end: { number, hash, checkpoints } });
  const masterKey: KeyRing = [
    { epoch: 2, master: newMasterKey() },
    { epoch: 1, master: keys.masterKey },
  ];
  const state = { epoch: 2, writers } as Partial<Repository['keyState']> as Repository['keyState'];
  const writerKey = newWriterKey();
  const opened = new Repository({
    storage: new MemoryStorage(files),
    description: keys.description,
    masterKey,
    writerKey,
    device: { id: writerKey.id, name, os: 'Linux', agent: 'test' },
    folder: join(folder, name),
    clock: time.clock(),
    keyState: state,
  });
  readers.push(opened);
  return opened;
}

/** Writes a segment with the keys that were stolen. Returns its name. */
function forge(number: number, previous: string | undefined, facts: readonly Fact[] = []): string {
  const { writerKey, repository } = thief;
  const seal = { keys: deriveRepositoryKeys(keys.masterKey).ledger, repository: repository.id };
  const stolen = { writer: writerKey.id, number, previous, time: time.now, heads: new Map(), facts: [...facts] };
  const { name, bytes } = encodeSegment('ledger', stolen, seal, writerKey);
  files.set(name, { bytes: Uint8Array.from(bytes), created: time.now });
  return name;
}

const removal = (): Fact[] => [{ kind: 'removed', points: [point] }];
const hasPoint = ({ projection }: Repository): boolean => projection.points.find(point) !== undefined;
const stolenPoints = ({ projection }: Repository): number => projection.points.all().length - 1;

describe('the ledger of a writer that was removed', () => {
  test('counts up to its end', async () => {
    const fresh = reader('fresh');
    await fresh.refresh();
    expect(hasPoint(fresh)).toBe(true);
    expect(stolenPoints(fresh)).toBe(4);
    expect(fresh.projection.ledgers.damage()).toEqual([]);
  });

  test.each([1, 2, 3])('takes no other segment in the place of number %i', async (number) => {
    const before = segments();
    const previous = number === 1 ? undefined : before[number - 2]!.hash;
    const known = reader('known');
    await known.refresh();
    const forged = forge(number, previous, removal());
    for (const one of [known, reader('fresh')]) {
      await one.refresh();
      expect(hasPoint(one)).toBe(true);
      expect(stolenPoints(one)).toBe(4);
      expect(one.projection.ledgers.damage()).toMatchObject([{ file: forged, problem: 'revoked' }]);
      // The others go on without a warning.
      expect(one.isDamaged).toBe(false);
      await one.refresh();
      expect(hasPoint(one)).toBe(true);
    }
  });

  test('counts without what was written in it before this computer learned of the removal', async () => {
    const [first] = segments();
    forge(2, first!.hash, removal());
    {
      using late = new Device(keys, time, { name: 'late', storage: new MemoryStorage(files), folder });
      await late.repository.refresh();
      expect(hasPoint(late.repository)).toBe(false);
    }
    const late = reader('late');
    await late.admitAnew();
    await late.refresh();
    expect(hasPoint(late)).toBe(true);
    expect(stolenPoints(late)).toBe(4);
  });

  test('takes nothing below a segment that is gone', async () => {
    const [first, second] = segments();
    files.delete(second!.name);
    const forged = forge(2, first!.hash, removal());
    const fresh = reader('fresh');
    await fresh.refresh();
    expect(hasPoint(fresh)).toBe(true);
    expect(stolenPoints(fresh)).toBe(2);
    expect(fresh.projection.ledgers.damage()).toMatchObject(
      [first!.name, second!.name, forged]
        .toSorted()
        .map((file) => ({ file, problem: file === second!.name ? 'missing' : 'revoked' })),
    );
  });

  test('counts again as a whole when a segment that was gone is back', async () => {
    const [, second] = segments();
    const file = files.get(second!.name)!;
    files.delete(second!.name);
    const fresh = reader('fresh');
    await fresh.refresh();
    expect(stolenPoints(fresh)).toBe(2);
    files.set(second!.name, file);
    await fresh.refresh();
    expect(stolenPoints(fresh)).toBe(4);
    expect(fresh.projection.ledgers.damage()).toEqual([]);
  });

  test('counts from a checkpoint that the rotation named', async () => {
    await writeCheckpoint(thief.repository.ledger);
    const checkpoint = [...files.keys()].find((name) => name.startsWith('checkpoints/'));
    for (let run = 0; run < 2; run += 1) await thief.backup('stolen', chunksOf(1));
    for (const { name, number } of segments()) if (number < 4) files.delete(name);
    const forged = forge(3, hashOf(Buffer.from('x')), removal());
    const fresh = reader('fresh', [parseLedgerName(checkpoint!)!.hash]);
    await fresh.refresh();
    expect(hasPoint(fresh)).toBe(true);
    expect(stolenPoints(fresh)).toBe(6);
    expect(fresh.projection.points.find(point)).toBeDefined();
    expect(fresh.projection.ledgers.applied().map(({ number }) => number)).not.toContain(
      parseLedgerName(forged)!.number,
    );
  });
});
