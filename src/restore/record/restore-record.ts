import Database from 'better-sqlite3';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { opened } from '../../base/files/handle-shortage.ts';
import { DAY } from '../../model/units.ts';
import type { RecordSeal } from './record-seal.ts';
import { RecordedChanges } from './recorded-changes.ts';
import { restoreOf, type RecordedRestore } from './recorded-forms.ts';
import { ResumeJournal } from './resume-journal.ts';
import { hasOwnSchema, RECORD_SCHEMA } from './schema.ts';

const PREFIX = 'restore-';
const SUFFIX = '.sqlite';

/** For how long a restore can be undone. */
export const UNDO_MS = 7 * DAY;
/** For how long one that was interrupted can be continued. */
const RESUME_MS = 30 * DAY;

/** What is known of a restore that is going to begin. It began earlier if it continues an interrupted one. */
export type NewRestore = Omit<RecordedRestore, 'version' | 'endedAt' | 'isComplete' | 'changes' | 'undo'>;

export interface RecordPlace {
  readonly folder: string;
  readonly seal: RecordSeal;
  /** Whether it is kept when the restore is complete, so that this can be undone. */
  readonly isUndoable: boolean;
}

/** A record that can be undone. */
export interface FoundRecord {
  readonly record: RestoreRecord;
  readonly restore: RecordedRestore;
  /** False if it was written without the keys of this home, which may have chosen any folder. */
  readonly isProven: boolean;
}

/**
 * What outlives the run of a restore, in a file of its own: what the restore is, what existed before it, and what it changes in the original
 * places. The file is removed when the restore is complete, and after a week if it can be undone.
 */
export class RestoreRecord implements Disposable {
  readonly file: string;
  readonly changes: RecordedChanges;
  readonly journal: ResumeJournal;
  readonly #database: Database.Database;
  readonly #place: RecordPlace;
  /** `attached` to the database of a plan; a record by itself is closed with this. */
  readonly #kind: 'attached' | 'by itself';
  #isBegun = false;
  #isEmpty = false;

  /**
   * Opens the record of a restore that begins or continues, beside the plan, so that one transaction has what both are until `begin`.
   * Nothing is stored before.
   *
   * @param database of the plan
   */
  static open(database: Database.Database, place: RecordPlace, restore: NewRestore): RestoreRecord {
    removeOld(place, restore.continuedAt ?? restore.startedAt);
    const known = RestoreRecord.#unfinished(place, restore.id);
    const startedAt = known?.startedAt ?? restore.startedAt;
    const file = join(place.folder, nameOf({ ...restore, startedAt }));
    if (!known) createRecord(file);
    database.exec('COMMIT');
    opened(() => database.prepare('ATTACH ? AS record').run(file));
    database.pragma('record.synchronous = NORMAL');
    database.exec('BEGIN');
    const record = new RestoreRecord(database, place, file, 'attached', {
      journal: { id: restore.id, startedAt },
      resumed: known !== undefined,
    });
    record.#store({ version: 1, ...restore, startedAt });
    return record;
  }

  /** Opens the record for a dry run: changes nothing, even while the same restore is running. */
  static openReadOnly(place: RecordPlace, restore: NewRestore): RestoreRecord {
    const known = RestoreRecord.#unfinished(place, restore.id, true);
    const { startedAt } = known ?? restore;
    const file = join(place.folder, nameOf({ ...restore, startedAt }));
    const database = known ? new Database(file, { readonly: true }) : new Database(':memory:');
    if (!known) for (const statement of RECORD_SCHEMA) database.exec(statement);
    const journal = { id: restore.id, startedAt };
    return new RestoreRecord(database, place, file, 'by itself', { journal, resumed: known !== undefined });
  }

  /** Returns the restore that can be undone and ended last, or was continued last. Unreadable records are passed over. */
  static newest(place: RecordPlace, now: number): FoundRecord | undefined {
    let newest: FoundRecord | undefined;
    for (const file of recordsIn(place.folder)) {
      const record = RestoreRecord.#read(file, place);
      const restore = record?.restore();
      const isUndoable = restore && restore.undo?.endedAt === undefined && now - timeOf(restore) < UNDO_MS;
      if (
        record &&
        isUndoable &&
        !(newest && timeOf(newest.restore) >= timeOf(restore)) &&
        !(record.changes.size === 0 && record.#isProven)
      ) {
        newest?.record[Symbol.dispose]();
        newest = { record, restore, isProven: record.#isProven };
      } else record?.[Symbol.dispose]();
    }
    return newest;
  }

  /** Returns the restore of a file if this home has written it; `undefined` also after a power failure that has damaged it. */
  static provenIn(file: string, place: RecordPlace, readonly = false): RecordedRestore | undefined {
    using record = RestoreRecord.#read(file, place, readonly);
    return record && record.#isProven ? record.restore() : undefined;
  }

  /** What has the id and cannot be continued gives way to a new record. */
  static #unfinished(place: RecordPlace, id: string, readonly = false): RecordedRestore | undefined {
    return recordsIn(place.folder)
      .filter((file) => file.endsWith(`-${id}${SUFFIX}`))
      .map((file) => RestoreRecord.provenIn(file, place, readonly))
      .findLast((restore) => restore && restore.isComplete !== true && restore.undo === undefined);
  }

  static #read(file: string, place: RecordPlace, readonly = false): RestoreRecord | undefined {
    let database: Database.Database | undefined;
    try {
      database = new Database(file, { readonly, fileMustExist: true });
      const run = { journal: { id: '', startedAt: 0 }, resumed: false };
      return new RestoreRecord(database, place, file, 'by itself', run);
    } catch {
      database?.close();
      return undefined;
    }
  }

  private constructor(
    database: Database.Database,
    place: RecordPlace,
    file: string,
    kind: 'attached' | 'by itself',
    { journal, resumed }: { readonly journal: Pick<RecordedRestore, 'id' | 'startedAt'>; readonly resumed: boolean },
  ) {
    this.file = file;
    this.#database = database;
    this.#place = place;
    this.#kind = kind;
    this.changes = new RecordedChanges(database, file, place.seal);
    this.journal = new ResumeJournal(database, journal, { resumed, isWritten: kind === 'attached' });
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

  /** Must be called before the restore writes anything. */
  begin(): void {
    this.update((restore) => ({ ...restore, changes: this.changes.size }));
    this.#database.exec('COMMIT');
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
    this.#isBegun = true;
  }

  /** Must be called when the restore has ended by itself. */
  end(at: number): void {
    this.update((restore) => ({ ...restore, changes: this.changes.size, endedAt: at }));
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  /** Must be called after the record is closed, when nothing is left for a later run. */
  complete(): void {
    if (!this.#place.isUndoable || this.#isEmpty) {
      removeRecord(this.file);
      return;
    }
    using record = RestoreRecord.#read(this.file, this.#place);
    record?.update((restore) => ({ ...restore, isComplete: true }));
  }

  update(change: (restore: RecordedRestore) => RecordedRestore): void {
    const restore = this.restore();
    if (!restore) return;
    this.#database.transaction(() => this.#store(change(restore)))();
  }

  /** Closes the record, and removes it if no run has begun to write. */
  [Symbol.dispose](): void {
    if (this.#kind === 'by itself') {
      this.#database.close();
      return;
    }
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    this.#isEmpty = this.changes.size === 0;
    this.#database.exec('DETACH record');
    if (!this.journal.resumed && !this.#isBegun) removeRecord(this.file);
  }

  /** True if this home has written what the restore is. */
  get #isProven(): boolean {
    const row = this.#database.prepare<[], { form: string; mac: unknown }>('SELECT form, mac FROM restore').get();
    if (!hasOwnSchema(this.#database) || row === undefined) return false;
    if (!this.#place.seal.isOf(row.mac, sealedForm(this.file, row.form))) return false;
    return this.changes.hasAll(this.restore()?.changes);
  }

  #store(restore: RecordedRestore): void {
    const text = JSON.stringify(restore);
    this.#database.prepare('DELETE FROM restore').run();
    const mac = this.#place.seal.of(sealedForm(this.file, text));
    this.#database.prepare('INSERT INTO restore VALUES (?, ?)').run(text, mac);
  }
}

/** What the MAC of a restore covers: also the name of its file, in which no other record can take its place. */
function sealedForm(file: string, form: string): readonly string[] {
  return ['restore', basename(file), form];
}

/** The file of a new record, in the place of any other of its name. A kill leaves one without a restore, which is removed by its name. */
function createRecord(file: string): void {
  removeRecord(file);
  opened(() => {
    const database = new Database(file);
    database.pragma('journal_mode = WAL');
    // It is on disk with what `begin` writes.
    database.pragma('synchronous = OFF');
    database.transaction(() => RECORD_SCHEMA.forEach((statement) => database.exec(statement)))();
    database.close();
  });
}

function nameOf({ startedAt, id }: Pick<RecordedRestore, 'startedAt' | 'id'>): string {
  return `${PREFIX}${String(Math.trunc(startedAt)).padStart(15, '0')}-${id}${SUFFIX}`;
}

/** Returns the time at which a restore began, was continued or ended, whichever is last. */
function timeOf({ startedAt, continuedAt = startedAt, endedAt = startedAt }: RecordedRestore): number {
  return Math.max(startedAt, continuedAt, endedAt);
}

/** Returns whether there is any record, also of what cannot be undone any more. */
export function hasRecords(folder: string): boolean {
  return recordsIn(folder).length > 0;
}

function recordsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).filter((name) => name.startsWith(PREFIX) && name.endsWith(SUFFIX));
  return found.toSorted().map((name) => join(folder, name));
}

/** A clock that was wrong keeps a record for longer. */
function removeOld(place: RecordPlace, now: number): void {
  for (const file of recordsIn(place.folder)) {
    const restore = RestoreRecord.provenIn(file, place);
    const isOver = restore?.isComplete === true || restore?.undo !== undefined;
    const at = restore ? timeOf(restore) : Number(basename(file).slice(PREFIX.length, PREFIX.length + 15));
    if (!Number.isFinite(at) || now - at >= (isOver ? UNDO_MS : RESUME_MS)) removeRecord(file);
  }
}

function removeRecord(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
