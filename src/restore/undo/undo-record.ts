import type Database from 'better-sqlite3';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PlannedChange } from '../plan/planned-change.ts';
import type { ChangeLog } from '../write/change-log.ts';
import type { Metadata } from '../write/metadata.ts';
import { changeOf, restoreOf, type RecordedChange, type RecordedRestore } from './recorded-forms.ts';
import type { RecordSeal } from './record-seal.ts';
import type { UndoableRestore } from './undo-report.ts';
import { isSameMetadata } from './undo-attributes.ts';
import {
  earlierPlacesIn,
  hasAllRows,
  hasOwnSchema,
  isSealedChange,
  knownState,
  openDatabase,
  removeDatabase,
  sealedForm,
  sealedState,
  sizesOf,
} from './undo-database.ts';
import { DAY } from '../../model/units.ts';

const PREFIX = 'undo-';
const SUFFIX = '.sqlite';

/** For how long a restore can be undone. */
export const UNDO_MS = 7 * DAY;

/** Only its attributes are changed. */
const IS_STAYING = '(attributes IS NOT NULL AND made = 0 AND aside IS NULL)';
/** Not undone yet. */
const IS_LEFT = 'known_state(id, state, state_mac) < 2';
const PAGE_ROWS = 1000;

/**
 * What a restore to the original places changes: written before it does, and read when it is undone. A file of its own for each
 * restore, which is removed after a week.
 */
export class UndoRecord implements ChangeLog, Disposable {
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #plan: Database.Statement;
  readonly #keep: Database.Statement;
  readonly #keepEarlier: Database.Statement;
  readonly #set: Database.Statement;
  readonly #forgetTime: Database.Statement;
  readonly #state: Database.Statement;
  readonly #isWritten: boolean;
  readonly #seal: RecordSeal;

  /** Opens the record of a restore that is going to begin, or that continues. Nothing is stored before `begin`. */
  static forRestore(folder: string, restore: Omit<RecordedRestore, 'version'>, seal: RecordSeal): UndoRecord {
    const file = fileOf(folder, restore);
    removeOld(folder, timeOf(restore), file, seal);
    let database: Database.Database;
    try {
      database = openDatabase(file, seal);
      if (!hasOwnSchema(database)) throw new Error('not a record');
    } catch {
      // Unreadable after a power failure.
      removeDatabase(file);
      database = openDatabase(file, seal);
    }
    const record = new UndoRecord(file, database, seal, true);
    database.exec('BEGIN');
    database.prepare('DELETE FROM restore').run();
    record.#store({ version: 1, ...restore });
    return record;
  }

  /** Returns the restore that can be undone and ended last, or was continued last. Unreadable records are passed over. */
  static newest(folder: string, now: number, seal: RecordSeal): FoundRecord | undefined {
    let newest: FoundRecord | undefined;
    for (const file of recordsIn(folder)) {
      const record = UndoRecord.#read(file, seal);
      const restore = record?.restore();
      const isUndoable = restore && restore.undo?.endedAt === undefined && now - timeOf(restore) < UNDO_MS;
      if (
        record &&
        isUndoable &&
        !(newest && timeOf(newest.restore) >= timeOf(restore)) &&
        !(record.#isEmpty && record.#isProven)
      ) {
        newest?.record[Symbol.dispose]();
        newest = { file, record, restore, isProven: record.#isProven };
      } else record?.[Symbol.dispose]();
    }
    return newest;
  }

  /** Returns when a restore did something last; `undefined` for what is not its record. */
  static timeIn(file: string, seal: RecordSeal): number | undefined {
    using record = UndoRecord.#read(file, seal);
    const restore = record?.restore();
    return restore && timeOf(restore);
  }

  static #read(file: string, seal: RecordSeal): UndoRecord | undefined {
    try {
      return new UndoRecord(file, openDatabase(file, seal), seal, false);
    } catch {
      return undefined;
    }
  }

  private constructor(file: string, database: Database.Database, seal: RecordSeal, isWritten: boolean) {
    this.#file = file;
    this.#database = database;
    this.#isWritten = isWritten;
    this.#seal = seal;
    this.#plan = database.prepare(
      `INSERT INTO change (location, made, existed, type, size, mode, seconds, nanoseconds, target)
       VALUES (@location, 1, @existed, @type, @size, @mode, @seconds, @nanoseconds, @target)
       ON CONFLICT (location) DO UPDATE SET made = 1, type = @type, size = @size, mode = @mode, seconds = @seconds,
         nanoseconds = @nanoseconds, target = @target`,
    );
    // What a continued run keeps is newer than what an interrupted one has kept.
    this.#keep = database.prepare(
      `INSERT INTO change (location, made, aside) VALUES (@location, 0, @aside)
       ON CONFLICT (location) DO UPDATE SET aside = @aside`,
    );
    this.#keepEarlier = database.prepare(
      `INSERT OR IGNORE INTO earlier (location, aside)
       SELECT location, aside FROM change WHERE location = @location AND aside IS NOT NULL AND aside <> @aside`,
    );
    this.#set = database.prepare(
      `INSERT INTO change (location, made, mode, seconds, nanoseconds, attributes)
       VALUES (@location, 0, @mode, @seconds, @nanoseconds, @attributes) ON CONFLICT (location) DO NOTHING`,
    );
    this.#forgetTime = database.prepare('UPDATE change SET seconds = NULL WHERE location = ? AND made = 1');
    this.#state = database.prepare('UPDATE change SET state = ?, state_mac = ? WHERE id = ?');
  }

  /** @returns `undefined` for what is not the record of a restore */
  restore(): RecordedRestore | undefined {
    try {
      const text = this.#database.prepare<[], string>('SELECT form FROM restore').pluck().get();
      return restoreOf(text ?? '');
    } catch {
      return undefined;
    }
  }

  planned(change: PlannedChange): void {
    this.#plan.run({ ...change, existed: change.exists ? 1 : 0, exists: null });
  }

  kept(original: readonly string[], place: readonly string[]): void {
    const kept = { location: original.join('/'), aside: place.join('/') };
    this.#keepEarlier.run(kept);
    this.#keep.run(kept);
  }

  folder(location: readonly string[]): void {
    const nothing = { existed: 0, size: null, mode: null, seconds: null, nanoseconds: null, target: null };
    this.#plan.run({ location: location.join('/'), type: 'directory', ...nothing });
  }

  attributes(location: readonly string[], before: Metadata, after: Metadata, file?: string): void {
    if (isSameMetadata(before, after)) return;
    const { mode, seconds, nanoseconds } = after;
    const attributes = JSON.stringify({ ...before, file });
    this.#set.run({ location: location.join('/'), mode, seconds, nanoseconds, attributes });
  }

  withoutTime(location: readonly string[]): void {
    this.#forgetTime.run(location.join('/'));
  }

  /** Must be called before the restore writes anything. */
  begin(): void {
    this.update((restore) => ({ ...restore, ...sizesOf(this.#database) }));
    this.#database.exec('COMMIT');
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Must be called when the restore has ended by itself. */
  end(at: number): void {
    this.update((restore) => ({ ...restore, ...sizesOf(this.#database), endedAt: at }));
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
      `SELECT * FROM change WHERE (@before IS NULL OR location < @before) AND ${IS_LEFT} AND NOT ${IS_STAYING}
       ORDER BY location DESC LIMIT ${PAGE_ROWS}`,
    );
    let rows = page.all({ before: null });
    for (; rows.length > 0; rows = page.all({ before: rows.at(-1)!.location }))
      yield* rows.map((row) => this.#storedOf(row));
  }

  /** Changed attributes that are not undone yet, in the order in which they were set. */
  *attributesInOrder(): Generator<StoredChange> {
    const page = this.#database.prepare<[number], { id: number; location: string }>(
      `SELECT * FROM change WHERE id > ? AND ${IS_LEFT} AND ${IS_STAYING} ORDER BY id LIMIT ${PAGE_ROWS}`,
    );
    for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)!.id))
      yield* rows.map((row) => this.#storedOf(row));
  }

  /** Number of changes that are not undone, by what undoing does. */
  counts(): Pick<UndoableRestore, 'replaced' | 'moved' | 'created'> {
    return this.#database
      .prepare<[], { replaced: number; moved: number; created: number }>(
        `SELECT coalesce(sum(made = 1 AND aside IS NOT NULL), 0) AS replaced,
           coalesce(sum(made = 0 AND aside IS NOT NULL), 0) AS moved, coalesce(sum(made = 1 AND aside IS NULL AND type <> 'directory'), 0) AS created
         FROM change WHERE ${IS_LEFT}`,
      )
      .get()!;
  }

  /** The places of the versions that were kept before the one of `aside`, newest first; `undefined` if that is not of this home. */
  earlierPlaces(location: string): readonly string[] | undefined {
    return earlierPlacesIn(this.#database, this.#file, location, this.#seal);
  }

  setState(id: number, state: 0 | 1 | 2): void {
    this.#state.run(state, this.#seal.of(sealedState(this.#file, id, state)), id);
  }

  #storedOf(row: { readonly id: number; readonly location: string }): StoredChange {
    const { id, location } = row;
    if (!isSealedChange(this.#file, row, this.#seal)) return { id, location, change: undefined };
    return { id, location, change: changeOf({ ...row, state: knownState(this.#file, row, this.#seal) }) };
  }

  /** True if this home has written what the restore is. */
  get #isProven(): boolean {
    const row = this.#database.prepare<[], { form: string; mac: unknown }>('SELECT form, mac FROM restore').get();
    if (!hasOwnSchema(this.#database) || row === undefined) return false;
    return this.#seal.isOf(row.mac, sealedForm(this.#file, row.form)) && hasAllRows(this.#database, this.restore());
  }

  get #isEmpty(): boolean {
    return this.#database.prepare('SELECT 1 FROM change LIMIT 1').get() === undefined;
  }

  /** Closes the record. Removes it if it was opened for a restore that has changed nothing. */
  [Symbol.dispose](): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    const isEmpty = this.#isWritten && this.#isEmpty;
    this.#database.close();
    if (isEmpty) removeDatabase(this.#file);
  }

  #store(restore: RecordedRestore): void {
    const text = JSON.stringify(restore);
    this.#database.prepare('INSERT INTO restore VALUES (?, ?)').run(text, this.#seal.of(sealedForm(this.#file, text)));
  }
}

/** A record that can be undone. */
export interface FoundRecord {
  readonly file: string;
  readonly record: UndoRecord;
  readonly restore: RecordedRestore;
  /** False if it was written without the keys of this home, which may have chosen any folder. */
  readonly isProven: boolean;
}

export interface StoredChange {
  readonly id: number;
  readonly location: string;
  /** `undefined` if it is damaged, or not of this home. */
  readonly change: RecordedChange | undefined;
}

function fileOf(folder: string, { startedAt, journal }: Pick<RecordedRestore, 'startedAt' | 'journal'>): string {
  return join(folder, `${PREFIX}${String(Math.trunc(startedAt)).padStart(15, '0')}-${journal}${SUFFIX}`);
}

/** When a restore did something last. */
function timeOf({ startedAt, continuedAt = startedAt, endedAt = startedAt }: Omit<RecordedRestore, 'version'>): number {
  return Math.max(startedAt, continuedAt, endedAt);
}

/** Returns whether there is any record, also of what cannot be undone any more. */
export function hasUndoRecords(folder: string): boolean {
  return recordsIn(folder).length > 0;
}

function recordsIn(folder: string): readonly string[] {
  const found = readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX));
  return found.map((name) => join(folder, name));
}

/** A clock that was wrong keeps a record for longer. */
function removeOld(folder: string, now: number, except: string, seal: RecordSeal): void {
  for (const file of recordsIn(folder)) {
    if (file === except) continue;
    const at = UndoRecord.timeIn(file, seal) ?? Number(basename(file).slice(PREFIX.length, PREFIX.length + 15));
    if (!Number.isFinite(at) || now - at >= UNDO_MS) removeDatabase(file);
  }
}
