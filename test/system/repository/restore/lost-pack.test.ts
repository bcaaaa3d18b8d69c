import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import type { Storage } from '../../../../src/storage/storage.ts';
import { FolderSnapshot } from '../../../helpers/folder-snapshot.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';
import { Computer, hashesIn, Place, StepClock } from '../check/world.ts';

const FILES = ['one.bin', 'two.bin', 'three.bin', 'folder/four.bin'] as const;
const bytesOf = (name: string): Buffer => seededBytes(3_000, name);
/** Two packs of each backup: one with the file and the tree, one with the tree. */
const PACKS = [...Array(2 * FILES.length).keys()];

let pool: WorkerPool;
let place: Place;
let whole: FolderSnapshot;
let clock: StepClock;
/** Names of the packs, and the file that each has. */
let packs: readonly { readonly name: string; readonly file: string | undefined }[];
let device: string;
let newest: number;

const at = (name: string): string => place.path('destination', name);
const names = (): readonly string[] =>
  readdirSync(at('packs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(at('').length + 1));

beforeAll(async () => {
  pool = new WorkerPool(2);
  place = new Place();
  clock = new StepClock();
  mkdirSync(at(''));
  const computer = await Computer.setUp(place.path('alpha'), at(''), { pool, clock, isNew: true });
  const made: { name: string; file: string | undefined }[] = [];
  for (const file of FILES) {
    const before = new Set(made.map(({ name }) => name));
    computer.write(file, bytesOf(file));
    await computer.backUp();
    const digest = createHash('sha256').update(bytesOf(file)).digest();
    const [data] = computer.repository.projection.packs.locate(digest);
    for (const name of names().filter((each) => !before.has(each))) {
      made.push({ name, file: name.endsWith(data!.packHash) ? file : undefined });
    }
  }
  packs = made;
  device = computer.id;
  newest = Math.max(...computer.repository.projection.points.all().map(({ time }) => time));
  await computer.close();
  whole = new FolderSnapshot(at(''));
});

afterAll(async () => {
  await pool.close();
  place[Symbol.dispose]();
  whole[Symbol.dispose]();
});

test('each backup has two packs, of which one has its file', () => {
  expect(packs).toHaveLength(PACKS.length);
  expect(packs.flatMap(({ file }) => file ?? [])).toEqual(FILES);
});

type Get = Storage['get'];

function failingAt(name: string, problem: string): (storage: Storage) => void {
  return (storage) => {
    const get: Get = storage.get.bind(storage);
    storage.get = async (each, range, signal) => {
      if (each === name) throw new HoldfastError('destination_unwritable', { directory: at(''), problem });
      return await get(each, range, signal);
    };
  };
}

const LOSSES: Readonly<Record<string, (name: string) => ((storage: Storage) => void) | void>> = {
  'is deleted': (name) => rmSync(at(name)),
  'has other bytes': (name) =>
    writeFileSync(
      at(name),
      readFileSync(at(name)).map((byte) => byte ^ 0x55),
    ),
  'has no bytes': (name) => writeFileSync(at(name), ''),
  'has a bad sector': (name) => failingAt(name, 'EIO'),
  'may not be read': (name) => failingAt(name, 'EACCES'),
};

describe.each(Object.keys(LOSSES))('a new computer, of whose packs one %s', (loss) => {
  test.each(PACKS)(
    'restores all files whose bytes lie elsewhere, and names the other one (pack %i)',
    async (number) => {
      whole.restore();
      const { name, file } = packs[number]!;
      const breakStorage = LOSSES[loss]!(name);
      const folder = place.path(`fresh-${loss.replaceAll(' ', '-')}-${number}`);
      const fresh = await Computer.setUp(folder, at(''), { pool, clock });
      breakStorage?.(fresh.repository.storage);
      const to = join(folder, 'to');
      mkdirSync(to);
      const { failures } = await fresh.restore(device, newest, to);
      await fresh.close();
      const kept = FILES.filter((each) => each !== file);
      const found = new Map([...hashesIn(to)].map(([path, hash]) => [path.slice('source/'.length), hash]));
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(kept.map((each) => [each, createHash('sha256').update(bytesOf(each)).digest('hex')])),
      );
      expect(failures.map(({ path }) => path.slice(-(file?.length ?? 0)))).toEqual(file ? [file] : []);
    },
  );
});
