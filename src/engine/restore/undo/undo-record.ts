import Database from 'better-sqlite3';
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { PlannedChange } from '../plan/planned-change.ts';
import type { ChangeLog } from '../write/change-log.ts';
import type { Metadata } from '../write/metadata.ts';

const PREFIX = 'undo-';
const SUFFIX = '.sqlite';

/** For how long a restore can be undone. */
export const UNDO_MS = 7 * 24 * 60 * 60 * 1000;

const SCHEMA = `
  CREATE TABLE restore (form TEXT NOT NULL);
  CREATE TABLE change (
    id INTEGER PRIMARY KEY, location TEXT NOT NULL UNIQUE, made INTEGER NOT NULL, existed INTEGER NOT NULL DEFAULT 0,
    type TEXT, size INTEGER, mode INTEGER,
    seconds INTEGER, nanoseconds INTEGER, target TEXT, aside TEXT, attributes TEXT, state INTEGER NOT NULL DEFAULT 0);
`;
const PAGE_ROWS = 1000;

const names = z.array(z.string().min(1)).max(4096);

const form = z.object({
  version: z.literal(1),
  /** Of the restore's journal, which continues it while it is unfinished. */
  journal: z.string().regex(/^[0-9a-f]{16}$/),
  deviceId: z.string().max(200),
  backupSet: z.string().max(200),
  restorePoint: z.string().max(100),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  /** Set when the restore has ended by itself. */
  endedAt: z.number().optional(),
  /** The folder that has everything, a real path; `deepest` is what existed of it. */
  target: z.string().min(1),
  deepest: z.string().min(1),
  bases: z.array(z.object({ folder: names, name: z.string() })).max(100_000),
  /** The side folder of the undo, from its first start on; and when it was complete. */
  undo: z.object({ startedAt: z.number(), endedAt: z.number().optional() }).optional(),
});
/** A restore to the original places, as far as it has to be known for undoing it. */
export type RecordedRestore = Readonly<z.infer<typeof form>>;

const attributesForm = z.object({
  mode: z.int().min(0).max(0o7777),
  seconds: z.int().nullable(),
  nanoseconds: z.int().min(0).max(999_999_999),
  owner: z.object({ uid: z.int().min(0), gid: z.int().min(0) }).nullable(),
  xattrs: z.string().nullable(),
});

const rowForm = z.object({
  id: z.int(),
  location: z.string().min(1),
  /** 1 if the restore makes something there. */
  made: z.union([z.literal(0), z.literal(1)]),
  /** 1 if something was there when the restore was planned. */
  existed: z.union([z.literal(0), z.literal(1)]),
  type: z.enum(['file', 'directory', 'symlink']).nullable(),
  size: z.number().nullable(),
  mode: z.int().nullable(),
  seconds: z.number().nullable(),
  nanoseconds: z.number().nullable(),
  target: z.string().nullable(),
  /** Where the version before is, as a path below the target folder. */
  aside: z.string().min(1).nullable(),
  attributes: z
    .string()
    .transform((text) => attributesForm.parse(JSON.parse(text)))
    .nullable(),
  /** 1 while it is being undone, 2 when it has been. */
  state: z.union([z.literal(0), z.literal(1), z.literal(2)]),
});
export type RecordedChange = Readonly<z.infer<typeof rowForm>>;

/**
 * What a restore to the original places changes: written before it does, and read when it is undone. A file of its own for each
 * restore, which is removed after a week.
 */
export class UndoRecord implements ChangeLog, Disposable {
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #plan: Database.Statement;
  readonly #keep: Database.Statement;
  readonly #set: Database.Statement;
  readonly #state: Database.Statement;
  #isBegun: boolean;

  /** Opens the record of a restore that is going to begin, or that continues. Nothing is stored before `begin`. */
  static forRestore(folder: string, restore: Omit<RecordedRestore, 'version'>): UndoRecord {
    removeOld(folder, restore.startedAt);
    const file = fileOf(folder, restore);
    let database: Database.Database;
    try {
      database = openDatabase(file);
    } catch {
      // Unreadable after a power failure.
      removeDatabase(file);
      database = openDatabase(file);
    }
    const record = new UndoRecord(file, database, false);
    database.exec('BEGIN');
    database.prepare('DELETE FROM restore').run();
    record.#store({ version: 1, ...restore });
    return record;
  }

  /** Returns the newest restore that can be undone. One with an unreadable record is not undone, nor is one before it. */
  static newest(
    folder: string,
    now: number,
  ): { readonly record: UndoRecord; readonly restore: RecordedRestore } | undefined {
    for (const file of recordsIn(folder)) {
      const record = UndoRecord.#read(file);
      const restore = record?.restore();
      if (!record || !restore) return undefined;
      if (restore.undo?.endedAt === undefined) {
        if (now - restore.startedAt < UNDO_MS) return { record, restore };
        record[Symbol.dispose]();
        return undefined;
      }
      record[Symbol.dispose]();
    }
    return undefined;
  }

  static #read(file: string): UndoRecord | undefined {
    try {
      return new UndoRecord(file, openDatabase(file), true);
    } catch {
      return undefined;
    }
  }

  private constructor(file: string, database: Database.Database, isBegun: boolean) {
    this.#file = file;
    this.#database = database;
    this.#isBegun = isBegun;
    this.#plan = database.prepare(
      `INSERT INTO change (location, made, existed, type, size, mode, seconds, nanoseconds, target)
       VALUES (@location, 1, @existed, @type, @size, @mode, @seconds, @nanoseconds, @target)
       ON CONFLICT (location) DO UPDATE SET made = 1, type = @type, size = @size, mode = @mode, seconds = @seconds,
         nanoseconds = @nanoseconds, target = @target`,
    );
    // What an interrupted run has kept first is what was there before.
    this.#keep = database.prepare(
      `INSERT INTO change (location, made, aside) VALUES (@location, 0, @aside)
       ON CONFLICT (location) DO UPDATE SET aside = coalesce(aside, @aside)`,
    );
    this.#set = database.prepare(
      `INSERT INTO change (location, made, mode, seconds, nanoseconds, attributes)
       VALUES (@location, 0, @mode, @seconds, @nanoseconds, @attributes) ON CONFLICT (location) DO NOTHING`,
    );
    this.#state = database.prepare('UPDATE change SET state = ? WHERE id = ?');
  }

  /** @returns `undefined` for what is not the record of a restore */
  restore(): RecordedRestore | undefined {
    try {
      const text = this.#database.prepare<[], string>('SELECT form FROM restore').pluck().get();
      return form.parse(JSON.parse(text ?? ''));
    } catch {
      return undefined;
    }
  }

  planned(change: PlannedChange): void {
    this.#plan.run({ ...change, existed: change.exists ? 1 : 0, exists: null });
  }

  kept(original: readonly string[], place: readonly string[]): void {
    this.#keep.run({ location: original.join('/'), aside: place.join('/') });
  }

  folder(location: readonly string[]): void {
    const nothing = { existed: 0, size: null, mode: null, seconds: null, nanoseconds: null, target: null };
    this.#plan.run({ location: location.join('/'), type: 'directory', ...nothing });
  }

  attributes(location: readonly string[], before: Metadata, after: Metadata): void {
    const { mode, seconds, nanoseconds } = after;
    const attributes = JSON.stringify(before);
    this.#set.run({ location: location.join('/'), mode, seconds, nanoseconds, attributes });
  }

  /** Must be called before the restore writes anything. */
  begin(): void {
    this.#database.exec('COMMIT');
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
    this.#isBegun = true;
  }

  /** Must be called when the restore has ended by itself. */
  end(at: number): void {
    this.update((restore) => ({ ...restore, endedAt: at }));
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  update(change: (restore: RecordedRestore) => RecordedRestore): void {
    const restore = this.restore();
    if (!restore) return;
    this.#database.transaction(() => {
      this.#database.prepare('DELETE FROM restore').run();
      this.#store(change(restore));
    })();
  }

  /** What was made or moved and is not undone yet; what is inside a folder comes before it. */
  *innermostFirst(): Generator<StoredChange> {
    const page = this.#database.prepare<[{ before: string | null }], { id: number; location: string }>(
      `SELECT * FROM change WHERE (@before IS NULL OR location < @before) AND state < 2 AND attributes IS NULL
       ORDER BY location DESC LIMIT ${PAGE_ROWS}`,
    );
    let rows = page.all({ before: null });
    for (; rows.length > 0; rows = page.all({ before: rows.at(-1)!.location })) yield* rows.map(storedOf);
  }

  /** Changed attributes that are not undone yet, in the order in which they were set. */
  *attributesInOrder(): Generator<StoredChange> {
    const page = this.#database.prepare<[number], { id: number; location: string }>(
      `SELECT * FROM change WHERE id > ? AND state < 2 AND attributes IS NOT NULL ORDER BY id LIMIT ${PAGE_ROWS}`,
    );
    for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)!.id)) yield* rows.map(storedOf);
  }

  /** Number of changes that are not undone, by what undoing does. */
  counts(): { readonly replaced: number; readonly created: number } {
    return this.#database
      .prepare<[], { replaced: number; created: number }>(
        `SELECT count(aside) AS replaced, coalesce(sum(made = 1 AND aside IS NULL AND type <> 'directory'), 0) AS created
         FROM change WHERE state < 2`,
      )
      .get()!;
  }

  setState(id: number, state: 1 | 2): void {
    this.#state.run(state, id);
  }

  /** Closes the record, and removes it if the restore never began to write. */
  [Symbol.dispose](): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    const isEmpty = !this.#isBegun && this.restore() === undefined;
    this.#database.close();
    if (isEmpty) removeDatabase(this.#file);
  }

  #store(restore: RecordedRestore): void {
    this.#database.prepare('INSERT INTO restore VALUES (?)').run(JSON.stringify(restore));
  }
}

export interface StoredChange {
  readonly id: number;
  readonly location: string;
  /** `undefined` if it is damaged. */
  readonly change: RecordedChange | undefined;
}

function storedOf(row: { readonly id: number; readonly location: string }): StoredChange {
  return { id: row.id, location: row.location, change: changeOf(row) };
}

function changeOf(row: object): RecordedChange | undefined {
  try {
    return rowForm.parse(row);
  } catch {
    return undefined;
  }
}

function openDatabase(file: string): Database.Database {
  const database = new Database(file);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    if (database.pragma('user_version', { simple: true }) === 0) {
      database.transaction(() => {
        database.exec(SCHEMA);
        database.pragma('user_version = 1');
      })();
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function fileOf(folder: string, { startedAt, journal }: Pick<RecordedRestore, 'startedAt' | 'journal'>): string {
  return join(folder, `${PREFIX}${String(Math.trunc(startedAt)).padStart(15, '0')}-${journal}${SUFFIX}`);
}

/** Newest first. */
function recordsIn(folder: string): readonly string[] {
  const found = readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX));
  return found.toSorted((one, other) => (one < other ? 1 : -1)).map((name) => join(folder, name));
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}

/** A clock that was wrong keeps a record for longer. */
function removeOld(folder: string, now: number): void {
  for (const file of recordsIn(folder)) {
    const at = Number(basename(file).slice(PREFIX.length, PREFIX.length + 15));
    if (!Number.isFinite(at) || now - at >= UNDO_MS) removeDatabase(file);
  }
}
