import type Database from 'better-sqlite3';
import { basename } from 'node:path';
import { pages } from './pages.ts';
import type { Metadata, PlannedChange } from './planned-entry.ts';
import type { RecordSeal } from './record-seal.ts';
import { changeOf, type RecordedChange } from './recorded-forms.ts';

/** What the MAC of a row covers. With the ids, which begin at 1 and have no gaps, no row can be taken away unnoticed. */
const SEALED = [
  'id',
  'location',
  'made',
  'existed',
  'type',
  'size',
  'mode',
  'seconds',
  'nanoseconds',
  'target',
  'asides',
  'attributes',
  'state',
] as const;

/** A row of the table. */
type Row = Readonly<Record<(typeof SEALED)[number] | 'mac', unknown>> & {
  readonly id: number;
  readonly location: string;
};
type Values = Omit<RecordedChange, 'id' | 'location'>;

const UNTOUCHED: Values = {
  made: 0,
  existed: 0,
  type: null,
  size: null,
  mode: null,
  seconds: null,
  nanoseconds: null,
  target: null,
  asides: [],
  attributes: null,
  state: 0,
};
const NO_FILE = { size: null, mode: null, seconds: null, nanoseconds: null, target: null };

/** The condition for rows of entries of which the restore changes only attributes. */
const IS_STAYING = `(attributes IS NOT NULL AND made = 0 AND asides = '[]')`;

export interface StoredChange {
  readonly location: string;
  /** `undefined` if it is damaged, or not of this home. */
  readonly change: RecordedChange | undefined;
}

/** Numbers of changes that are not undone, by what undoing does. */
export interface ChangeCounts {
  /** Files and folders whose version before is kept. */
  readonly replaced: number;
  /** Files and folders that did not exist in the restore point and were moved aside. */
  readonly moved: number;
  /** Files and links that the restore made where nothing was. */
  readonly created: number;
}

/** Returns what the MAC of a row covers: also the name of its file, in which no row of another record can take its place. */
export function sealedRow(file: string, row: Omit<Row, 'mac'>): readonly unknown[] {
  return ['change', basename(file), ...SEALED.map((column) => row[column])];
}

/** What a restore to the original places changes. Each change is stored before it is made, and read when it is undone. */
export class RecordedChanges {
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #seal: RecordSeal;
  readonly #find: Database.Statement<[string], Row>;
  readonly #write: Database.Statement;
  #last: number;

  /** @param file of the record */
  constructor(database: Database.Database, file: string, seal: RecordSeal) {
    this.#database = database;
    this.#file = file;
    this.#seal = seal;
    this.#find = database.prepare('SELECT * FROM change WHERE location = ?');
    const values = [...SEALED, 'mac'].map((column) => `@${column}`).join(', ');
    this.#write = database.prepare(`INSERT OR REPLACE INTO change VALUES (${values})`);
    this.#last = this.#lastId;
  }

  /** The number of rows. */
  get size(): number {
    return this.#database.prepare<[], number>('SELECT count(*) FROM change').pluck().get()!;
  }

  /** Returns whether no row was taken away: as many as there were are there, and there are no gaps. */
  hasAll(known = 0): boolean {
    return this.size === this.#lastId && this.size >= known;
  }

  /** Records that an entry is going to be made. */
  planned({ location, exists, type, size, mode, seconds, nanoseconds, target }: PlannedChange): void {
    this.#make(location, exists, { type, size, mode, seconds, nanoseconds, target });
  }

  /** A folder is made that the backup does not have. @param names from the target folder down */
  folder(names: readonly string[]): void {
    this.#make(names.join('/'), false, { type: 'directory', ...NO_FILE });
  }

  /** What has a name is kept elsewhere. Both are names from the target folder down. */
  kept(original: readonly string[], place: readonly string[]): void {
    const aside = place.join('/');
    // What a continued run keeps is newer than what an interrupted one has kept.
    this.#change(original.join('/'), (known = UNTOUCHED) => {
      return { ...known, asides: [aside, ...known.asides.filter((one) => one !== aside)] };
    });
  }

  /**
   * The attributes of something that stays are set.
   *
   * @param before what they are until then
   * @param file identifies a file with several names
   */
  attributes(names: readonly string[], before: Metadata, after: Metadata, file?: string): void {
    if (isSameMetadata(before, after)) return;
    const { mode, seconds, nanoseconds } = after;
    const attributes = { ...before, ...(file === undefined ? {} : { file }) };
    // Those of what this restore has made, or has set before, are undone with it.
    this.#change(names.join('/'), (known) => {
      return known ? undefined : { ...UNTOUCHED, mode, seconds, nanoseconds, attributes };
    });
  }

  /** What was made could not be given its time, by which it would be recognised. */
  withoutTime(names: readonly string[]): void {
    this.#change(names.join('/'), (known) => (known?.made === 1 ? { ...known, seconds: null } : undefined));
  }

  /** @param state 1 while it is being undone, 2 when it has been */
  setState(location: string, state: 0 | 1 | 2): void {
    this.#change(location, (known) => known && { ...known, state });
  }

  /** What was made or moved and is not undone yet; what is inside a folder comes before it. */
  innermostFirst(): Generator<StoredChange> {
    const sql = `SELECT * FROM change WHERE location < ? AND NOT ${IS_STAYING} ORDER BY location DESC`;
    // Any text is less than a blob.
    return this.#left(pages<Row, string | Buffer>(this.#database, sql, Buffer.alloc(0), ({ location }) => location));
  }

  /** Changed attributes that are not undone yet, in the order in which they were set. */
  attributesInOrder(): Generator<StoredChange> {
    const sql = `SELECT * FROM change WHERE id > ? AND ${IS_STAYING} ORDER BY id`;
    return this.#left(pages<Row, number>(this.#database, sql, 0, ({ id }) => id));
  }

  /** As far as the rows say; each is proven when it is undone. */
  counts(): ChangeCounts {
    return this.#database
      .prepare<[], ChangeCounts>(
        `SELECT coalesce(sum(made = 1 AND asides <> '[]'), 0) AS replaced,
           coalesce(sum(made = 0 AND asides <> '[]'), 0) AS moved,
           coalesce(sum(made = 1 AND asides = '[]' AND type <> 'directory'), 0) AS created
         FROM change WHERE state < 2`,
      )
      .get()!;
  }

  *#left(rows: Iterable<Row>): Generator<StoredChange> {
    for (const row of rows) {
      const change = this.#provenOf(row);
      if (change?.state !== 2) yield { location: row.location, change };
    }
  }

  #make(location: string, exists: boolean, made: Pick<RecordedChange, keyof typeof NO_FILE | 'type'>): void {
    this.#change(location, (known = { ...UNTOUCHED, existed: exists ? 1 : 0 }) => ({ ...known, ...made, made: 1 }));
  }

  /** @param changed returns what is stored of a place; nothing is if it returns `undefined` */
  #change(location: string, changed: (known: Values | undefined) => Values | undefined): void {
    const row = this.#find.get(location);
    // What somebody else has written is not sealed anew.
    const values = changed(row && this.#provenOf(row));
    if (!values) return;
    const id = row?.id ?? (this.#last += 1);
    const attributes = values.attributes && JSON.stringify(values.attributes);
    const stored = { ...values, id, location, asides: JSON.stringify(values.asides), attributes };
    this.#write.run({ ...stored, mac: this.#seal.of(sealedRow(this.#file, stored)) });
  }

  /** Returns `undefined` for what this home has not written, or is no change. */
  #provenOf(row: Row): RecordedChange | undefined {
    return this.#seal.isOf(row.mac, sealedRow(this.#file, row)) ? changeOf(row) : undefined;
  }

  get #lastId(): number {
    return this.#database.prepare<[], number>('SELECT coalesce(max(id), 0) FROM change').pluck().get()!;
  }
}

/** Returns whether setting attributes changes nothing. */
function isSameMetadata(before: Metadata, after: Metadata): boolean {
  return (
    before.mode === after.mode &&
    (after.seconds === null || (before.seconds === after.seconds && before.nanoseconds === after.nanoseconds)) &&
    (after.owner === null || (before.owner?.uid === after.owner.uid && before.owner.gid === after.owner.gid)) &&
    (after.xattrs === null || sortedPairs(before.xattrs) === sortedPairs(after.xattrs))
  );
}

function sortedPairs(xattrs: string | null): string {
  return (JSON.parse(xattrs ?? '[]') as [string, string][])
    .map((pair) => pair.join('\n'))
    .toSorted()
    .join('\n');
}
