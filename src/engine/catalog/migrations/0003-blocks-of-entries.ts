import type { CatalogDatabase } from '../database.ts';
import { OpenBlock } from '../block.ts';
import type { EntryKind } from '../entry.ts';
import { packEntry } from '../entry-record.ts';

/** SQL, or what SQL cannot say. Runs in a transaction. */
export type MigrationStep = string | ((database: CatalogDatabase) => void);

const PAGE = 256;

/**
 * From a row for each entry to a row for a folder's entries, some dozens at a time: what a run of many files takes is
 * mostly the reading of rows.
 */
export const migration0003: MigrationStep = (database) => {
  database.exec(`
    -- Nothing where the directory holds a set's roots.
    ALTER TABLE directory ADD COLUMN parent INTEGER;
    ALTER TABLE directory ADD COLUMN name TEXT;
    -- 1 where there are, or were once, blocks behind the first.
    ALTER TABLE directory ADD COLUMN split INTEGER NOT NULL DEFAULT 0;
    -- The first block: entry-record.ts, one after the other, by the bytes of their names.
    ALTER TABLE directory ADD COLUMN entries BLOB NOT NULL DEFAULT x'';

    CREATE TABLE block (
      directory     INTEGER NOT NULL REFERENCES directory (id) ON DELETE CASCADE,
      first         TEXT NOT NULL,    -- names from here on, up to the next block's
      entries       BLOB NOT NULL,
      UNIQUE (directory, first)
    ) STRICT;`);
  packDirectories(database);
  database.exec('DROP TABLE entry');
};

interface Row {
  readonly name: string;
  readonly kind: EntryKind;
  readonly stat: Buffer;
  readonly child: number | null;
  readonly detail: string | null;
  readonly chunks: Buffer | null;
  readonly run: number;
  readonly kept_stat: Buffer | null;
  readonly kept_chunks: Buffer | null;
}

function packDirectories(database: CatalogDatabase): void {
  const nextDirectory = database.prepare<[number], number>('SELECT min(id) FROM directory WHERE id > ?').pluck();
  const page = database.prepare<[number, string, number], Row>(
    'SELECT * FROM entry WHERE directory = ? AND name > ? ORDER BY name LIMIT ?',
  );
  const setFirst = database.prepare('UPDATE directory SET entries = ? WHERE id = ?');
  const setSplit = database.prepare('UPDATE directory SET split = 1 WHERE id = ?');
  const insert = database.prepare('INSERT INTO block VALUES (?, ?, ?)');
  const setPlace = database.prepare('UPDATE directory SET parent = ?, name = ? WHERE id = ?');
  for (let id = nextDirectory.get(0); typeof id === 'number'; id = nextDirectory.get(id)) {
    let isFirst = true;
    let rows = page.all(id, '', PAGE);
    while (rows.length > 0) {
      for (const { child, name } of rows) if (child !== null) setPlace.run(id, name, child);
      for (const { firstName, bytes } of packRows(rows)) {
        if (isFirst) setFirst.run(bytes, id);
        else {
          insert.run(id, firstName, bytes);
          setSplit.run(id);
        }
        isFirst = false;
      }
      rows = rows.length < PAGE ? [] : page.all(id, rows.at(-1)!.name, PAGE);
    }
  }
}

function packRows(rows: readonly Row[]): ReturnType<OpenBlock['packed']> {
  const block = new OpenBlock(undefined);
  for (const row of rows) {
    const { kept_stat: stat, kept_chunks: chunks } = row;
    block.put(packEntry(row, row.run, stat && chunks ? { stat, chunks } : undefined));
  }
  return block.packed();
}
