import { createHash } from 'node:crypto';
import { bufferOf } from '../../base/buffer-of.ts';
import Database from 'better-sqlite3';
import { BLOB_KINDS, decodeTable } from '../../format/repository/pack-file.ts';
import { type ProjectionDatabase, SCHEMA } from './schema.ts';

/** Bytes of a row's hash. Sums of two are exact in a double. */
const HASH_BYTES = 6;
const MODULUS = 2 ** (8 * HASH_BYTES);

/** Tables without a sum: chunks follow from the packs, the others hold nothing that is stated to anybody. */
const WITHOUT_SUM: ReadonlySet<string> = new Set([
  'repository',
  'maintenance',
  'locked_file',
  'chunk',
  'row_sum',
  'sqlite_sequence',
]);

/** Adds the sums of tables that are empty. */
export function addRowSums(database: ProjectionDatabase): void {
  const add = database.prepare('INSERT INTO row_sum (name, value) VALUES (?, 0)');
  for (const [table] of summedTables()) add.run(table);
}

/**
 * Keeps a sum of the hashes of each table's rows, by triggers of this connection. SQLite's own checks find a page that is no page
 * any more; the sums find a bit that flipped in a value.
 */
export function keepRowSums(database: ProjectionDatabase): void {
  database.function('row_hash', { varargs: true, deterministic: true }, rowHash);
  const triggers: string[] = [];
  for (const [table, columns] of summedTables()) {
    const hashOf = (row: 'new' | 'old'): string =>
      `CAST(row_hash(${columns.map((column) => `${row}.${column}`).join(', ')}) AS INTEGER)`;
    const changes = { insert: `+ ${hashOf('new')}`, delete: `- ${hashOf('old')}` };
    const all = { ...changes, update: `${changes.delete} ${changes.insert}` };
    for (const [event, change] of Object.entries(all)) {
      triggers.push(
        `CREATE TEMP TRIGGER sum_${table}_${event} AFTER ${event} ON main.${table} BEGIN
           UPDATE row_sum SET value = (value ${change}) & ${MODULUS - 1} WHERE name = '${table}';
         END`,
      );
    }
  }
  database.exec(triggers.join(';'));
}

/** Returns whether all rows are those that were written, and the chunks are those of the packs. */
export function areRowsSound(database: ProjectionDatabase): boolean {
  return database.transaction(() => {
    const sums = new Map(database.prepare<[], [string, number]>('SELECT name, value FROM row_sum').raw().all());
    for (const [table, columns] of summedTables()) {
      let sum = 0;
      for (const row of database
        .prepare(`SELECT ${columns.join(', ')} FROM ${table}`)
        .raw()
        .iterate()) {
        sum = (sum + rowHash(...(row as unknown[]))) % MODULUS;
      }
      if (sum !== sums.get(table)) return false;
    }
    return areChunksSound(database);
  })();
}

let tables: readonly (readonly [name: string, columns: readonly string[]])[] | undefined;

/** Returns the tables with a sum, and their columns: those of the schema, since a damaged file may state others. */
function summedTables(): NonNullable<typeof tables> {
  if (tables) return tables;
  const schema = new Database(':memory:').exec(SCHEMA);
  const names = schema
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  const columns = schema.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
  tables = names.filter((name) => !WITHOUT_SUM.has(name)).map((name) => [name, columns.all(name)]);
  schema.close();
  return tables;
}

function rowHash(...values: readonly unknown[]): number {
  const digest = createHash('sha256');
  for (const value of values) {
    if (Buffer.isBuffer(value)) digest.update(`b${value.length}:`).update(value);
    else digest.update(`${typeof value} ${String(value)}\n`);
  }
  return digest.digest().readUIntBE(0, HASH_BYTES);
}

/** Compares the chunks with the tables of their packs. */
function areChunksSound(database: ProjectionDatabase): boolean {
  const sums = new Map<number, number>();
  let rows = 0;
  const add = (pack: number, mixed: number): void => {
    sums.set(pack, ((sums.get(pack) ?? 0) + mixed) % MODULUS);
    rows += 1;
  };
  const packs = database.prepare<[], [number, Buffer]>('SELECT number, contents FROM pack').raw();
  for (const [number, contents] of packs.iterate()) {
    const seen = new Set<string>();
    for (const { digest, offset, length, size, kind } of decodeTable(contents) ?? []) {
      const view = bufferOf(digest);
      const name = view.toString('latin1');
      if (!seen.has(name)) add(number, mixOf(view, [number, offset, length, size, BLOB_KINDS.indexOf(kind)]));
      seen.add(name);
    }
  }
  const expected = rows;
  const chunks = database
    .prepare<[], [Buffer, number, number, number, number, number]>(
      'SELECT digest, pack, offset, length, size, kind FROM chunk',
    )
    .raw();
  for (const [digest, ...numbers] of chunks.iterate()) add(numbers[0], MODULUS - mixOf(digest, numbers));
  return rows === 2 * expected && sums.values().every((sum) => sum === 0);
}

/** Mixes a row so that a changed bit changes the result (FNV-1a by words). */
function mixOf(digest: Buffer, numbers: readonly number[]): number {
  let mixed = 0x811c9dc5;
  const step = (word: number): void => {
    mixed = Math.imul(mixed ^ word, 0x01000193);
    mixed ^= mixed >>> 15;
  };
  for (let at = 0; at + 4 <= digest.length; at += 4) step(digest.readInt32BE(at));
  step(digest.length);
  for (const number of numbers) step(number);
  return mixed >>> 0;
}
