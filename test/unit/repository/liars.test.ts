import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkRepository } from '../../../src/repository/check/check-repository.ts';
import type { Fact, FactOf } from '../../../src/format/repository/facts.ts';
import { packName } from '../../../src/format/repository/file-names.ts';
import { deriveRepositoryKeys } from '../../../src/format/repository/keys.ts';
import { decodeTable, encodeTable, packBytesOf } from '../../../src/format/repository/pack-file.ts';
import { encodeSegment } from '../../../src/format/repository/segment.ts';
import { newWriterKey, type WriterKey } from '../../../src/format/repository/writer-key.ts';
import { FaultyStorage } from '../../helpers/storage/faulty-storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../helpers/storage/memory-storage.ts';
import { testChunk, type TestChunk } from './fixture.ts';
import { chunksOf, createWorld, Device, removeFolder, temporaryFolder, WorldTime, type WorldKeys } from './world.ts';

let folder: string;
let files: MemoryFiles;
let keys: WorldKeys;
let time: WorldTime;
beforeEach(async () => {
  folder = temporaryFolder();
  files = new Map();
  time = new WorldTime();
  keys = await createWorld(new MemoryStorage(files), time);
});
afterEach(() => removeFolder(folder));

const device = (name: string, storage = new FaultyStorage(new MemoryStorage(files))): Device =>
  new Device(keys, time, { name, storage, folder });
const packsIn = ({ repository }: Device) => [...repository.projection.packs.stored()];

/** A computer that has the key, and writes what it likes into its own ledger. */
class Liar {
  readonly key: WriterKey;

  /** @param isLower whether its id is below that of all others */
  constructor(isLower: boolean) {
    let key = newWriterKey();
    while (key.id.startsWith('0') !== isLower) key = newWriterKey();
    this.key = key;
  }

  async state(...facts: readonly Fact[]): Promise<void> {
    const { masterKey, description } = keys;
    const segment = { writer: this.key.id, number: 1, previous: undefined, time: 0, heads: new Map(), facts };
    const seal = { keys: deriveRepositoryKeys(masterKey).ledger, repository: description.id };
    const { name, bytes } = encodeSegment('ledger', segment, seal, this.key);
    await new MemoryStorage(files).put(name, [bytes]);
  }
}

/** Says of a pack that other chunks are in it. */
function falseFact(pack: Uint8Array, digest: Buffer, size = 1_000): Fact {
  const table = encodeTable([{ digest, length: size + 28, size, kind: 'data' }]);
  return { kind: 'pack', pack, bytes: packBytesOf(decodeTable(table)!), table };
}

async function restored(reader: Device, chunks: readonly TestChunk[]): Promise<void> {
  expect(await reader.lostOf(chunks)).toEqual([]);
}

describe.each([true, false])('a computer that lies about a pack of another (lower id: %s)', (isLower) => {
  test.each(['before', 'after'] as const)('is not believed when it is read %s the truth', async (order) => {
    using one = device('one');
    using reader = device('reader');
    const chunks = chunksOf(3);
    await one.backup('set', chunks);
    const packs = packsIn(one);
    const [pack] = packs;
    if (order === 'after') await reader.repository.refresh();
    await new Liar(isLower).state(falseFact(pack!.hash, testChunk().digest));
    if (order === 'before') {
      // The segment of the first computer comes later.
      const own = [...files].filter(([name]) => name.startsWith(`ledger/${one.writerKey.id}/`));
      for (const [name] of own) files.delete(name);
      await reader.repository.refresh();
      for (const [name, file] of own) files.set(name, file);
    }
    await restored(reader, chunks);
    await restored(one, chunks);
    // In whichever order it has read them.
    const tablesOf = (known: typeof packs) =>
      new Map(known.map(({ hash, contents }) => [hash.toString('hex'), contents]));
    expect(tablesOf(packsIn(reader))).toEqual(tablesOf(packs));
    expect(reader.repository.projection.packs.packWith(chunks[0]!.digest)).toBeDefined();
    const scratch = `${folder}/check.sqlite`;
    expect((await checkRepository(reader.repository, { scratch })).findings).toEqual([]);
  });

  test('costs others no chunk that they have', async () => {
    using one = device('one');
    const known = testChunk();
    await one.backup('set', [testChunk()]);
    await new Liar(isLower).state(falseFact(packsIn(one)[0]!.hash, known.digest));
    await one.backup('set', [known]);
    await restored(one, [known]);
  });
});

describe('a pack that only a ledger knows', () => {
  test.each([
    ['does not exist', undefined],
    ['is too short', 500],
  ])('is not counted on when it %s', async (_name, bytes) => {
    using one = device('one');
    const known = testChunk();
    const pack = Buffer.alloc(32, 7);
    await new Liar(false).state(falseFact(pack, known.digest));
    if (bytes !== undefined) {
      await new MemoryStorage(files).put(packName(pack.toString('hex')), [new Uint8Array(bytes)]);
    }
    await one.backup('set', [known]);
    await restored(one, [known]);
  });

  test('is not counted on when two computers contradict each other and its own table cannot be read', async () => {
    using one = device('one');
    const known = chunksOf(2, 1_000);
    const pack = Buffer.alloc(32, 7);
    const facts = known.map(({ digest }) => falseFact(pack, digest) as FactOf<'pack'>);
    for (const fact of facts) await new Liar(false).state(fact);
    await new MemoryStorage(files).put(packName(pack.toString('hex')), [new Uint8Array(facts[0]!.bytes)]);
    await one.backup('set', known);
    await restored(one, known);
  });

  test('costs no request for each pack', async () => {
    using one = device('one');
    const facts = Array.from({ length: 2_000 }, (_, index) => {
      const pack = Buffer.alloc(32, index);
      pack.writeUInt32BE(index, 1);
      return falseFact(pack, testChunk(8).digest);
    });
    await new Liar(false).state(...facts);
    const { storage } = one.repository;
    await one.backup('set', [testChunk()]);
    const { calls } = storage as FaultyStorage;
    expect(calls.list + calls.get).toBeLessThan(20);
  });

  test('counts once it is there', async () => {
    using one = device('one');
    using other = device('other');
    const chunks = chunksOf(2);
    await one.backup('set', chunks);
    await other.backup('set', chunks);
    expect([...files.keys()].filter((name) => name.startsWith('packs/'))).toHaveLength(2);
  });
});

test('a pack whose only claim is false is corrected by a check, and the truth stated', async () => {
  using one = device('one');
  using other = device('other');
  const chunks = chunksOf(2);
  await one.backup('set', chunks);
  const [pack] = packsIn(one);
  for (const name of files.keys()) if (name.startsWith('ledger/')) files.delete(name);
  await new Liar(false).state(falseFact(pack!.hash, testChunk().digest));
  await other.repository.refresh();
  const scratch = `${folder}/check.sqlite`;
  const { findings } = await checkRepository(other.repository, { scratch });
  expect(findings.filter(({ file }) => file.startsWith('packs/'))).toEqual([]);
  expect(packsIn(other)).toMatchObject([{ contents: pack!.contents }]);
  await other.backup('set', [testChunk()]);
  using fresh = device('fresh');
  await fresh.repository.refresh();
  expect(fresh.repository.projection.packs.locate(chunks[0]!.digest)).toHaveLength(1);
});

test('a computer that calls packs lost keeps nobody from restoring', async () => {
  using one = device('one');
  const chunks = chunksOf(2);
  await one.backup('set', chunks);
  const packs = packsIn(one).map(({ hash }) => hash);
  const { points } = one.repository.projection;
  const withdrawn = points.all().map(({ id }) => id);
  await new Liar(false).state({ kind: 'lost', packs, time: 1 }, { kind: 'withdrawn', points: withdrawn });
  await restored(one, chunks);
});
