import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workplace, type BackupAnswer } from './workplace.ts';

const MINUTES = 60_000;
const LEVELS = ['off', 'fast', 'default', 'max'] as const;

/** Packs end with a sealed table of 41 bytes a blob (28 more), its length and eight bytes (docs/repository.md). */
function blobBytesIn(destination: string): number {
  const packs = readdirSync(join(destination, 'packs'), { recursive: true, withFileTypes: true });
  return packs
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
    .reduce((sum, pack) => sum + pack.length - 12 - pack.readUInt32BE(pack.length - 12), 0);
}

/** The first bytes of all blobs. The home's database has their places. */
function packingsIn({ destination, home }: Workplace): ReadonlySet<number> {
  const [repository] = readdirSync(join(home, 'repositories'));
  const database = new BetterSqlite(join(home, 'repositories', repository!, 'projection.sqlite'), { readonly: true });
  const rows = database
    .prepare<[], { hash: string; offset: number }>(
      'SELECT lower(hex(pack.hash)) AS hash, chunk.offset FROM chunk JOIN pack ON pack.number = chunk.pack',
    )
    .all();
  database.close();
  return new Set(
    rows.map(({ hash, offset }) => readFileSync(join(destination, 'packs', hash.slice(0, 2), hash))[offset]!),
  );
}

let stored: readonly number[];
const answers: BackupAnswer[] = [];
const workplaces = LEVELS.map(() => new Workplace());
let source: string;
const incompressible = randomBytes(300_000);

beforeAll(async () => {
  source = workplaces[0]!.path('source');
  mkdirSync(source);
  writeFileSync(join(source, 'texts.json'), readFileSync(join(import.meta.dirname, '../../../package-lock.json')));
  for (let copy = 0; copy < 3; copy += 1) writeFileSync(join(source, `photo-${copy}.jpg`), incompressible);
  writeFileSync(join(source, 'short'), 'short');
  for (const [index, level] of LEVELS.entries()) {
    const workplace = workplaces[index]!;
    await workplace.setUp();
    const options = level === 'default' ? [] : ['--compression', level];
    await workplace.json(['set', 'add', 'docs', source, ...options]);
    answers.push(await workplace.json<BackupAnswer>(['backup', 'docs']));
  }
  stored = workplaces.map((workplace) => blobBytesIn(workplace.destination));
}, 5 * MINUTES);
afterAll(() => workplaces.forEach((workplace) => workplace[Symbol.dispose]()));

test('each level stores less than the one before it, and counts what lies at the destination', () => {
  expect(answers.map(({ bytes_uploaded: bytes }) => bytes)).toEqual(stored);
  expect(stored).toEqual(stored.toSorted((a, b) => b - a));
  expect(new Set(stored).size).toBe(LEVELS.length);
});

test('figures tell what is stored once from what is compressed', () => {
  const [off, , normal] = answers;
  const read = readdirSync(source).reduce((sum, name) => sum + statSync(join(source, name)).size, 0);
  // The tree and the key envelope have under 64 KiB.
  const unique = read - 2 * incompressible.length;
  for (const answer of answers) {
    expect(answer.bytes_scanned).toBe(read);
    expect(answer.bytes_new).toBeGreaterThan(unique);
    expect(answer.bytes_new).toBeLessThan(unique + 65_536);
  }
  // Sealing adds 28 bytes to each. The tree's piece, its footer and the key envelope are stored twice.
  const lists = off!.bytes_new - unique + 3 * 28;
  expect(off!.bytes_uploaded).toBe(off!.bytes_new + off!.chunks_new * 28 + lists);
  expect(normal!.bytes_uploaded).toBeLessThan(normal!.bytes_new - 100_000);
  expect(normal!.bytes_uploaded).toBeGreaterThan(incompressible.length);
});

test('no blob is packed when compression is off', () => {
  expect(packingsIn(workplaces[0]!)).toEqual(new Set([0]));
  expect(packingsIn(workplaces[2]!)).toEqual(new Set([0, 1]));
});

test(
  'every level restores the same bytes',
  async () => {
    const digestOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
    for (const workplace of workplaces) {
      await workplace.json(['restore', 'docs', '--to', workplace.path('to')]);
      for (const name of readdirSync(source)) {
        expect(digestOf(workplace.path('to', 'source', name))).toBe(digestOf(join(source, name)));
      }
    }
  },
  3 * MINUTES,
);

test(
  "a run's own choice replaces that of its set, and leaves alone what is stored",
  async () => {
    const [off] = workplaces;
    const more = Buffer.from('Some more text, again and again. '.repeat(3_000));
    writeFileSync(join(source, 'more'), more);
    const answer = await off!.json<BackupAnswer>(['backup', 'docs', '--compression', 'max']);
    expect(answer.bytes_new).toBeGreaterThan(more.length);
    expect(answer.bytes_uploaded).toBeLessThan(more.length / 2);
    expect(blobBytesIn(off!.destination)).toBe(stored[0]! + answer.bytes_uploaded);
    const shown = await off!.json<{ compression: string }>(['set', 'show', 'docs']);
    expect(shown.compression).toBe('off');
  },
  2 * MINUTES,
);
