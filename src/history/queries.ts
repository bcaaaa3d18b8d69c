import { pluckOnce, prepareOnce } from '../base/prepared-statements.ts';
import { nameOf, parentOf, pathOfSortKey, pathSortKey, isWithin, withoutTrailingSlash } from '../model/entry-path.ts';
import type { HistoryDatabase } from './database.ts';
import { EntryTable } from './entries.ts';
import { PointTable, type HistorySource } from './points.ts';
import { RowSums } from './row-sums.ts';
import { spanBetween, type Span } from './spans.ts';
import { isSameContent, KINDS, type EntryKind, type VersionRow } from './version-row.ts';
import { HAS_HIGH, HAS_LOW, VersionTable } from './versions.ts';
import type { RestoreTime } from '../model/restore-request.ts';

/** A version of an entry, with the restore points that have it. */
export interface HistoryVersion extends Span {
  readonly kind: EntryKind;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Equal for versions with the same bytes. Hex. */
  readonly content: string;
}

export interface HistoryEntry extends HistoryVersion {
  readonly path: string;
}

/** Some of the rows of an answer, and where the next ones begin. */
export interface Page<Row, Next> {
  readonly rows: readonly Row[];
  readonly next: Next | undefined;
}

/** A difference between two restore points. */
export interface HistoryChange {
  readonly path: string;
  readonly before: HistoryVersion | undefined;
  readonly after: HistoryVersion | undefined;
}

interface NamedRow extends VersionRow {
  readonly key: string;
  readonly name: string;
}

/** Questions about the history, which are answered from the file alone. */
export class HistoryQueries {
  readonly points: PointTable;
  readonly #database: HistoryDatabase;
  readonly #entries: EntryTable;
  readonly #versions: VersionTable;

  constructor(database: HistoryDatabase) {
    const sums = new RowSums();
    this.#database = database;
    this.points = new PointTable(database, sums);
    this.#entries = new EntryTable(database, sums);
    this.#versions = new VersionTable(database, sums);
  }

  source(reference: HistorySource): number | undefined {
    return this.points.findSource(reference);
  }

  /** Versions of a path, oldest first. */
  versions(source: number, path: string): readonly HistoryVersion[] {
    const entry = this.#entries.find(withoutTrailingSlash(path));
    if (entry === undefined) return [];
    const known = this.points.known(source);
    return this.#versions.ofEntry(source, entry).flatMap((row) => versionOf(row, known) ?? []);
  }

  /**
   * The entries of a folder at a restore point, by the bytes of their names; above the roots of the set, the roots.
   *
   * @param after a name; the page begins behind it
   */
  folder(
    source: number,
    path: string,
    time: number,
    { after = '', count }: { readonly after?: string | undefined; readonly count: number },
  ): Page<HistoryEntry, string> {
    const folder = withoutTrailingSlash(path);
    const roots = this.points.roots(source, time).map(withoutTrailingSlash);
    const known = this.points.known(source);
    if (!roots.some((root) => isWithin(folder, root))) {
      const shown = roots
        .filter((root) => isWithin(root, folder))
        .flatMap((root) => this.#at(source, root, time, known));
      return { rows: shown, next: undefined };
    }
    const id = this.#entries.folder(folder);
    if (id === undefined) return { rows: [], next: undefined };
    const rows = prepareOnce<unknown[], NamedRow>(
      this.#database,
      `SELECT v.entry, v.low, v.high, v.kind, v.size, v.modified, v.content, entry.name
         FROM entry JOIN version AS v ON v.entry = entry.id
         WHERE entry.folder = ? AND entry.name > ? AND v.source = ? AND v.low < ? AND v.high > ?
         ORDER BY entry.name LIMIT ?`,
    ).all(id, after, source, time, time, count);
    const entries = rows.flatMap((row) => entryOf({ ...row, key: pathSortKey(folder) }, known));
    return { rows: entries, next: rows.length < count ? undefined : rows.at(-1)?.name };
  }

  /**
   * The differences between two restore points.
   *
   * @param after the number with which the page before ended. A page may be empty although others follow
   */
  changes(
    source: number,
    { from, to }: { readonly from: number; readonly to: number },
    { after = 0, count }: { readonly after?: number | undefined; readonly count: number },
  ): Page<HistoryChange, number> {
    const [older, newer] = [Math.min(from, to), Math.max(from, to)];
    const entries = pluckOnce<number[], number>(
      this.#database,
      `SELECT entry FROM version WHERE source = ? AND low >= ? AND low < ? AND high > ? AND entry > ? AND ${HAS_LOW}
       UNION SELECT entry FROM version WHERE source = ? AND high > ? AND high <= ? AND low < ? AND entry > ? AND ${HAS_HIGH}
       ORDER BY entry LIMIT ?`,
    ).all(source, older, newer, newer, after, source, older, newer, older, after, count);
    const known = this.points.known(source);
    const rows = entries.flatMap((entry): readonly HistoryChange[] => {
      const versions = this.#versions.ofEntry(source, entry);
      const at = (time: number): VersionRow | undefined => versions.find(({ low, high }) => low < time && high > time);
      const [start, end] = [at(from), at(to)];
      // A version that ended between the two and came back has two rows.
      if (start && end ? isSameContent(start, end) : start === end) return [];
      return [
        {
          path: this.pathOf(entry),
          before: start && versionOf(start, known),
          after: end && versionOf(end, known),
        },
      ];
    });
    return { rows, next: entries.length < count ? undefined : entries.at(-1) };
  }

  /** The known restore point that has the time, or else the newest of those that were made until then: what a restore finds, too. */
  pointAt(source: number, time: RestoreTime): number | undefined {
    const known = this.points.known(source);
    if (time === 'latest') return known.at(-1);
    const late = this.points.late(source);
    return known.includes(time) ? time : known.findLast((point) => (late.get(point) ?? point) <= time);
  }

  /** The known restore point before one. */
  pointBefore(source: number, time: number): number | undefined {
    return this.points.known(source).findLast((point) => point < time);
  }

  pathOf(entry: number): string {
    const row = prepareOnce<[number], { key: string; name: string }>(
      this.#database,
      'SELECT folder.key, entry.name FROM entry JOIN folder ON folder.id = entry.folder WHERE entry.id = ?',
    ).get(entry);
    return row ? `${pathOfSortKey(row.key)}/${row.name}` : '';
  }

  #at(source: number, path: string, time: number, known: readonly number[]): readonly HistoryEntry[] {
    const entry = this.#entries.find(path);
    if (entry === undefined) return [];
    const row = this.#versions.ofEntry(source, entry).find(({ low, high }) => low < time && high > time);
    return row ? entryOf({ ...row, key: pathSortKey(parentOf(path)), name: nameOf(path) }, known) : [];
  }
}

export function versionOf(row: VersionRow, known: readonly number[]): HistoryVersion | undefined {
  const span = spanBetween(known, row.low, row.high);
  if (!span) return undefined;
  return {
    ...span,
    kind: KINDS[row.kind]!,
    size: row.size,
    modified: row.modified,
    content: row.content.toString('hex'),
  };
}

function entryOf(row: NamedRow, known: readonly number[]): readonly HistoryEntry[] {
  const version = versionOf(row, known);
  return version ? [{ path: `${pathOfSortKey(row.key)}/${row.name}`, ...version }] : [];
}
