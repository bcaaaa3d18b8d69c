/**
 * `node bench/second-copies.ts`: what the second copies of the metadata cost of all stored bytes, after a first backup and after ten runs with
 * changed files (docs/decisions/0329-metadata-in-two-packs.md). The contents cannot be compressed.
 */
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { run } from './compare/measure.ts';
import { seededBytes } from './data-sets/seeded-bytes.ts';
import { printTable } from './report/console-rows.ts';
import { storeOf } from './tools/holdfast.ts';

const RUNS = 10;
const FILES_PER_FOLDER = 100;

interface Case {
  readonly label: string;
  readonly files: number;
  readonly fewestBytes: number;
  readonly mostBytes: number;
  /** Files that each later run finds changed. */
  readonly changed: number;
}

const CASES: readonly Case[] = [
  { label: '100 documents, 1 changed', files: 100, fewestBytes: 20_000, mostBytes: 2_000_000, changed: 1 },
  { label: '100 documents, 20 changed', files: 100, fewestBytes: 20_000, mostBytes: 2_000_000, changed: 20 },
  { label: '2,000 small files, 20 changed', files: 2_000, fewestBytes: 1_000, mostBytes: 9_000, changed: 20 },
  { label: '2,000 photographs, 20 changed', files: 2_000, fewestBytes: 50_000, mostBytes: 450_000, changed: 20 },
];

interface Stored {
  readonly bytes: number;
  readonly copies: number;
  readonly packs: number;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-second-copies-'));
try {
  const rows: string[][] = [];
  for (const [index, each] of CASES.entries()) rows.push(...(await measured(each, join(folder, `${index}`))));
  printTable(['', 'stored', 'second copies', 'share', 'packs'], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measured({ label, files, fewestBytes, mostBytes, changed }: Case, place: string): Promise<string[][]> {
  const source = join(place, 'source');
  const next = seededBytes(label);
  const pathOf = (file: number): string => join(source, `${Math.floor(file / FILES_PER_FOLDER)}`, `file ${file}.dat`);
  for (let file = 0; file < files; file += 1) {
    if (file % FILES_PER_FOLDER === 0) mkdirSync(join(source, `${file / FILES_PER_FOLDER}`), { recursive: true });
    writeFileSync(pathOf(file), next(fewestBytes + (next(4).readUInt32BE() % (mostBytes - fewestBytes))));
  }
  const { backup } = await storeOf(place, source, ['--destination', join(place, 'repository')]);
  await run(backup(), place);
  const first = storedIn(place);
  for (let round = 1; round <= RUNS; round += 1) {
    for (let each = 0; each < changed; each += 1) {
      appendFileSync(pathOf(Math.floor((each * files) / changed) + (round % 3)), next(100));
    }
    await run(backup(), place);
  }
  const later = storedIn(place);
  return [cellsOf(`${label}: first backup`, first), cellsOf(`${label}: ${RUNS} more runs`, later)];
}

/** Sums the packs that this computer knows. */
function storedIn(place: string): Stored {
  const repositories = join(place, 'home', 'repositories');
  const id = readdirSync(repositories).find((name) => /^[0-9a-f]{32}$/.test(name))!;
  using database = openDatabase(join(repositories, id, 'projection.sqlite'));
  const sumOf = (sql: string): number => database.prepare<[], number>(sql).pluck().get()!;
  return {
    bytes: sumOf('SELECT sum(bytes) FROM pack'),
    copies: sumOf(
      'SELECT sum(length * (copies - 1)) FROM (SELECT max(length) AS length, count(*) AS copies FROM chunk WHERE kind > 0 GROUP BY digest)',
    ),
    packs: sumOf('SELECT count(*) FROM pack'),
  };
}

function openDatabase(file: string): Database.Database & Disposable {
  const database = new Database(file, { readonly: true });
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}

function cellsOf(label: string, { bytes, copies, packs }: Stored): string[] {
  const share = `${((100 * copies) / (bytes - copies)).toFixed(2)} %`;
  return [label, `${(bytes / 1e6).toFixed(2)} MB`, `${(copies / 1e3).toFixed(1)} kB`, share, `${packs}`];
}
