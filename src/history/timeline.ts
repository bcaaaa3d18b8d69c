import { prepareOnce } from '../base/prepared-statements.ts';
import { pathSortKey, withoutTrailingSlash } from '../model/entry-path.ts';
import type { HistoryDatabase } from './database.ts';
import { EntryTable } from './entries.ts';
import { versionOf, type HistoryEntry } from './queries.ts';
import { RowSums } from './row-sums.ts';
import { firstAfter } from './spans.ts';
import { isSameContent, KINDS, type VersionRow } from './version-row.ts';
import { HAS_HIGH, HAS_LOW } from './versions.ts';

/** What changed in a folder from the restore point before: files and links, with the bytes of what is new or gone. */
export interface TimelinePoint {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Of added and changed files, as they are after it. */
  readonly bytes: number;
}

const DIRECTORY = KINDS.indexOf('directory');

const COLUMNS = 'v.entry, v.low, v.high, v.kind, v.size, v.modified, v.content';

/**
 * Counts what changed in a folder, at any depth, in each of the newest restore points.
 *
 * @param folder empty for everything
 * @param known times of the known restore points, in ascending order
 * @returns in ascending order. The first known restore point is not in it: nothing is known before it
 */
export function timelineOf(
  database: HistoryDatabase,
  source: number,
  folder: string,
  { known, count }: { readonly known: readonly number[]; readonly count: number },
): readonly TimelinePoint[] {
  const shown = known.slice(Math.max(1, known.length - count));
  const first = shown[0];
  if (first === undefined) return [];
  const before = known[known.length - shown.length - 1]!;
  const [low, end] = rangeOf(folder);
  const select = (condition: string): readonly VersionRow[] =>
    prepareOnce<unknown[], VersionRow>(
      database,
      `SELECT ${COLUMNS} FROM version AS v JOIN entry ON entry.id = v.entry JOIN folder ON folder.id = entry.folder
         WHERE v.source = ? AND ${condition} AND v.kind <> ${DIRECTORY} AND folder.key >= ? AND folder.key < ?`,
    ).all(source, before, low, end);
  const changes = new Map<string, { time: number; end?: VersionRow; start?: VersionRow }>();
  const changeAt = (time: number | undefined, entry: number): { end?: VersionRow; start?: VersionRow } | undefined => {
    if (time === undefined || time < first) return undefined;
    const key = `${time} ${entry}`;
    const change = changes.get(key) ?? { time };
    changes.set(key, change);
    return change;
  };
  // A version begins in the first restore point after its lower limit, and ends in the first from its upper limit on.
  for (const row of select(`v.low >= ? AND v.${HAS_LOW}`)) {
    const change = changeAt(known[firstAfter(known, row.low)], row.entry);
    if (change) change.start = row;
  }
  for (const row of select(`v.high > ? AND v.${HAS_HIGH}`)) {
    const change = changeAt(known[firstAfter(known, row.high - 1)], row.entry);
    if (change) change.end = row;
  }
  const points = new Map(shown.map((time) => [time, { time, added: 0, changed: 0, removed: 0, bytes: 0 }]));
  for (const { time, start, end: ended } of changes.values()) {
    const point = points.get(time);
    // A version whose restore points between were removed came back as it was.
    if (!point || (start && ended && isSameContent(start, ended))) continue;
    if (start && ended) point.changed += 1;
    else if (start) point.added += 1;
    else point.removed += 1;
    if (start) point.bytes += start.size;
  }
  return [...points.values()];
}

/**
 * Lists the entries of a folder that existed before a time, and not at that time, each as it was last, by their names.
 *
 * @param known times of the known restore points, in ascending order
 */
export function goneFrom(
  database: HistoryDatabase,
  source: number,
  folder: string,
  { time, known, count }: { readonly time: number; readonly known: readonly number[]; readonly count: number },
): readonly HistoryEntry[] {
  const path = withoutTrailingSlash(folder);
  const id = new EntryTable(database, new RowSums()).folder(path);
  if (id === undefined) return [];
  // SQLite takes the other columns from the row with the maximum.
  const rows = prepareOnce<unknown[], VersionRow & { readonly name: string; readonly latest: number }>(
    database,
    `SELECT ${COLUMNS}, entry.name, max(v.high) AS latest FROM entry JOIN version AS v ON v.entry = entry.id
       WHERE entry.folder = ? AND v.source = ? AND v.high <= ? AND NOT EXISTS (
         SELECT 1 FROM version AS present
           WHERE present.entry = entry.id AND present.source = v.source AND present.low < ? AND present.high > ?)
       GROUP BY entry.id ORDER BY entry.name LIMIT ?`,
  ).all(id, source, time, time, time, count);
  return rows.flatMap((row) => {
    const version = versionOf(row, known);
    return version ? [{ path: `${path}/${row.name}`, ...version }] : [];
  });
}

/** The keys of the folders at and below a path: from the first, to before the second. */
function rangeOf(path: string): readonly [low: string, end: string] {
  const folder = withoutTrailingSlash(path);
  if (folder === '') return ['', '\u{10ffff}'];
  const key = pathSortKey(folder);
  // U+0001 separates names, and U+0002 begins the codes of two characters. No other character is lower than them.
  return [key, `${key}\u0002`];
}
