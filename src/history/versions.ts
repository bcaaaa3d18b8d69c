import { pluckOnce, prepareOnce } from '../base/prepared-statements.ts';
import type { HistoryDatabase } from './database.ts';
import type { FolderPart } from './entries.ts';
import type { RowSums } from './row-sums.ts';
import { BEGINNING, END } from './schema.ts';
import { isSameContent, type VersionContent, type VersionRow } from './version-row.ts';

/** A restore point between its known neighbours, of which each may be the `BEGINNING` or the `END`. */
export interface Gap {
  readonly source: number;
  readonly before: number;
  readonly time: number;
  readonly after: number;
}

/** The conditions of the indexes, which a query has to contain. */
export const HAS_LOW = `low > ${BEGINNING}`;
export const HAS_HIGH = `high < ${END}`;

const COLUMNS =
  'version.entry, version.low, version.high, version.kind, version.size, version.modified, version.content';

/** The versions of entries with the restore points in which they existed. */
export class VersionTable {
  readonly #database: HistoryDatabase;
  readonly #sums: RowSums;

  constructor(database: HistoryDatabase, sums: RowSums) {
    this.#database = database;
    this.#sums = sums;
  }

  /** Versions of an entry at a source, oldest first. */
  ofEntry(source: number, entry: number): readonly VersionRow[] {
    return prepareOnce<[number, number], VersionRow>(
      this.#database,
      `SELECT ${COLUMNS} FROM version WHERE entry = ? AND source = ? ORDER BY low`,
    ).all(entry, source);
  }

  /** Versions that a neighbour of a new restore point has, so that it is expected to have them. */
  expected({ source, time }: Gap, entry: number): readonly VersionRow[] {
    return prepareOnce<[number, number, number, number], VersionRow>(
      this.#database,
      `SELECT ${COLUMNS} FROM version WHERE entry = ? AND source = ? AND low < ? AND high > ?`,
    ).all(entry, source, time, time);
  }

  /** The same for the entries of a part of a folder. */
  expectedIn({ source, time }: Gap, part: FolderPart): readonly VersionRow[] {
    const { folder, above = null, isAboveIncluded, below = null, isBelowIncluded } = part;
    return prepareOnce<unknown[], VersionRow>(
      this.#database,
      `SELECT ${COLUMNS} FROM entry JOIN version ON version.entry = entry.id
         WHERE entry.folder = ? AND version.source = ? AND version.low < ? AND version.high > ?
           AND (? IS NULL OR entry.name ${isAboveIncluded ? '>=' : '>'} ?)
           AND (? IS NULL OR entry.name ${isBelowIncluded ? '<=' : '<'} ?)`,
    ).all(folder, source, time, time, above, above, below, below);
  }

  /** Records that a restore point has a version. */
  add(gap: Gap, entry: number, content: VersionContent, known: readonly VersionRow[]): void {
    let isKnown = false;
    for (const row of known) {
      if (isSameContent(row, content)) isKnown = true;
      else this.split(gap, row);
    }
    if (!isKnown) this.#insert(gap.source, { entry, ...content, low: gap.before, high: gap.after });
  }

  /** Records that a restore point does not have a version which a neighbour has. */
  split({ source, before, time, after }: Gap, row: VersionRow): void {
    this.#delete(source, row);
    if (row.low !== before) this.#insert(source, { ...row, high: time });
    if (row.high !== after) this.#insert(source, { ...row, low: time });
  }

  /** Forgets a restore point between its neighbours. Returns the entries of versions that only it had. */
  removePoint({ source, before, time, after }: Gap): readonly number[] {
    const gone: number[] = [];
    // Those that end here, and those that begin here: with the same content, both are one.
    const rows = (where: string, ...values: readonly number[]): readonly VersionRow[] =>
      prepareOnce<number[], VersionRow>(
        this.#database,
        `SELECT ${COLUMNS} FROM version WHERE source = ? AND ${where}`,
      ).all(source, ...values);
    const ending = rows(`high = ? AND ${HAS_HIGH}`, time);
    const beginning = rows(`low = ? AND ${HAS_LOW}`, time);
    const onlyHere =
      before === BEGINNING
        ? rows(`+low = ? AND high = ?${after === END ? '' : ` AND ${HAS_HIGH}`}`, before, after)
        : rows(`low = ? AND ${HAS_LOW} AND high = ?`, before, after);
    for (const row of onlyHere) {
      this.#delete(source, row);
      gone.push(row.entry);
    }
    for (const row of [...ending, ...beginning]) this.#delete(source, row);
    const byEntry = Map.groupBy(beginning, ({ entry }) => entry);
    for (const row of ending) {
      const later = byEntry.get(row.entry);
      const index = later?.findIndex((other) => isSameContent(row, other)) ?? -1;
      const [continued] = index === -1 ? [] : later!.splice(index, 1);
      this.#insert(source, { ...row, high: continued?.high ?? after });
    }
    for (const later of byEntry.values()) {
      for (const row of later) this.#insert(source, { ...row, low: before });
    }
    return gone;
  }

  hasVersions(entry: number): boolean {
    return (
      pluckOnce<[number], number>(this.#database, 'SELECT 1 FROM version WHERE entry = ? LIMIT 1').get(entry) === 1
    );
  }

  #insert(source: number, { entry, low, high, kind, size, modified, content }: VersionRow): void {
    prepareOnce(this.#database, 'INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      entry,
      source,
      low,
      high,
      kind,
      size,
      modified,
      content,
    );
    this.#sums.added('version', entry, source, low, high, kind, size, modified, content);
  }

  #delete(source: number, { entry, low, high, kind, size, modified, content }: VersionRow): void {
    prepareOnce(this.#database, 'DELETE FROM version WHERE entry = ? AND source = ? AND low = ?').run(
      entry,
      source,
      low,
    );
    this.#sums.removed('version', entry, source, low, high, kind, size, modified, content);
  }
}
