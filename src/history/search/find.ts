import { pluckOnce, prepareOnce } from '../../base/prepared-statements.ts';
import { pathOfSortKey } from '../../model/entry-path.ts';
import type { HistoryDatabase } from '../database.ts';
import { parsePattern, type Pattern } from './pattern.ts';
import { versionOf, type HistoryVersion, type Page } from '../queries.ts';
import { END } from '../schema.ts';
import { KINDS, type EntryKind, type VersionRow } from '../version-row.ts';

export interface FindRequest {
  /** pattern.ts. */
  readonly pattern: string;
  /** The sources that are searched, with the times of their known restore points in ascending order. */
  readonly sources: ReadonlyMap<number, readonly number[]>;
  /** Those of them that have the newest restore point of their set. */
  readonly newest: ReadonlySet<number>;
  readonly kind?: EntryKind | undefined;
  /** Bytes, inclusive. */
  readonly minimumSize?: number | undefined;
  readonly maximumSize?: number | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly modifiedFrom?: number | undefined;
  readonly modifiedTo?: number | undefined;
  /** Only what the newest restore points do not have. */
  readonly isDeletedOnly?: boolean | undefined;
}

export interface FoundVersion extends HistoryVersion {
  readonly source: number;
}

/** An entry that was found, with those of its versions that the filters select. */
export interface FoundEntry {
  readonly path: string;
  readonly versions: readonly FoundVersion[];
  /** In none of the newest restore points. */
  readonly isDeleted: boolean;
}

/** Entries that one page examines at most, whatever it finds, so that its time is bounded. */
const MOST_EXAMINED = 6000;
/** Names that one page compares at most with a text that is too short for the index. */
const MOST_SCANNED = 250_000;
/** Entries that are looked up together. */
const BATCH = 500;
/** Sets of three characters that are looked up in the index. */
const MOST_TRIGRAMS = 24;

interface Candidate {
  readonly id: number;
  readonly folder: number;
  readonly name: string;
  readonly folded: string | null;
}

interface SourceRow extends VersionRow {
  readonly source: number;
}

/**
 * Finds entries by their names and paths, in the order in which they were first recorded.
 *
 * @param after the number with which the page before ended. A page may be empty although others follow
 */
export function findEntries(
  database: HistoryDatabase,
  request: FindRequest,
  { after = 0, count }: { readonly after?: number | undefined; readonly count: number },
): Page<FoundEntry, number> {
  const pattern = parsePattern(request.pattern);
  const folders = new FolderMatches(database, pattern);
  if (folders.ids?.size === 0) return { rows: [], next: undefined };
  const nextIds = candidatesOf(database, pattern, folders);
  const rows: FoundEntry[] = [];
  let scanned = 0;
  let last = after;
  for (let examined = 0; examined < MOST_EXAMINED && scanned < MOST_SCANNED;) {
    const page = nextIds(last);
    for (const candidate of selected(database, page.rows, request)) {
      if (rows.length === count) return { rows, next: candidate.id - 1 };
      if (!pattern.matchesName(candidate.folded ?? candidate.name) || !folders.has(candidate.folder)) continue;
      const found = foundOf(database, candidate, folders, request);
      if (found) rows.push(found);
    }
    if (page.next === undefined) return { rows, next: undefined };
    examined += page.rows.length;
    scanned += page.next - last;
    last = page.next;
  }
  return { rows, next: last };
}

/** The folders that a pattern selects. */
class FolderMatches {
  readonly #database: HistoryDatabase;
  readonly #matched: ReadonlySet<number> | undefined;
  /** Consecutive entries are mostly in one folder. */
  readonly #paths = new Map<number, string>();

  constructor(database: HistoryDatabase, { matchesFolder }: Pattern) {
    this.#database = database;
    if (!matchesFolder) return;
    const rows = prepareOnce<[], { id: number; key: string; path: string | null }>(
      database,
      'SELECT id, key, path FROM folder',
    ).all();
    const matched = rows.filter(({ key, path }) => matchesFolder(path ?? pathOfSortKey(key)));
    this.#matched = new Set(matched.map(({ id }) => id));
  }

  /** `undefined` if every folder is selected. */
  get ids(): ReadonlySet<number> | undefined {
    return this.#matched;
  }

  has(folder: number): boolean {
    return this.#matched?.has(folder) ?? true;
  }

  pathOf(folder: number): string {
    const known = this.#paths.get(folder);
    if (known !== undefined) return known;
    const key = pluckOnce<[number], string>(this.#database, 'SELECT key FROM folder WHERE id = ?').get(folder);
    const path = pathOfSortKey(key ?? '');
    this.#paths.set(folder, path);
    return path;
  }
}

/** Folders of which the entries are looked up one folder after the other. */
const FEW_FOLDERS = 200;

/** Returns the ids of the entries that can match behind an id, in ascending order, and where the next ones begin. */
type NextIds = (after: number) => Page<number, number>;

function candidatesOf(database: HistoryDatabase, { literals }: Pattern, folders: FolderMatches): NextIds {
  const trigrams = trigramsOf(literals);
  if (folders.ids && folders.ids.size <= FEW_FOLDERS) {
    const ids = JSON.stringify([...folders.ids]);
    const sql = `SELECT id FROM entry WHERE folder IN (SELECT value FROM json_each(?)) AND id > ? ORDER BY id LIMIT ${BATCH}`;
    return (after) => pageOf(pluckOnce<[string, number], number>(database, sql).all(ids, after));
  }
  if (trigrams.length > 0) {
    const query = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
    const sql = `SELECT rowid FROM name_index WHERE name_index MATCH ? AND rowid > ? ORDER BY rowid LIMIT ${BATCH}`;
    return (after) => pageOf(pluckOnce<[string, number], number>(database, sql).all(query, after));
  }
  const literal = literals[0] ?? '';
  const end = pluckOnce<[], number | null>(database, 'SELECT max(id) FROM entry').get() ?? 0;
  const sql = `SELECT id FROM entry WHERE id > ? AND id <= ? AND instr(coalesce(folded, name), ?) > 0 ORDER BY id LIMIT ${BATCH}`;
  return (after) => {
    const until = after + MOST_SCANNED;
    const page = pageOf(pluckOnce<[number, number, string], number>(database, sql).all(after, until, literal));
    return { ...page, next: page.next ?? (until < end ? until : undefined) };
  };
}

function pageOf(ids: readonly number[]): Page<number, number> {
  return { rows: ids, next: ids.length < BATCH ? undefined : ids.at(-1) };
}

/** Returns those of the entries that a filter may select. SQLite answers faster than its rows can be read. */
function selected(database: HistoryDatabase, ids: readonly number[], request: FindRequest): readonly Candidate[] {
  const { kind, minimumSize, maximumSize, modifiedFrom, modifiedTo, isDeletedOnly = false } = request;
  const tests: readonly (readonly [string, number | undefined])[] = [
    ['kind =', kind && KINDS.indexOf(kind)],
    ['size >=', minimumSize],
    ['size <=', maximumSize],
    ['modified >=', modifiedFrom],
    ['modified <=', modifiedTo],
  ];
  const wanted = tests.filter(([, value]) => value !== undefined);
  const version = 'SELECT 1 FROM version WHERE entry = c.id AND source IN (SELECT value FROM json_each(?))';
  const where = [
    `EXISTS (${version}${wanted.map(([test]) => ` AND ${test} ?`).join('')})`,
    ...(isDeletedOnly ? [`NOT EXISTS (${version} AND high = ${END})`] : []),
  ];
  const sql = `SELECT c.id, c.folder, c.name, c.folded FROM json_each(?) AS id JOIN entry AS c ON c.id = id.value
    WHERE ${where.join(' AND ')} ORDER BY id.key`;
  const values: unknown[] = [
    JSON.stringify(ids),
    JSON.stringify([...request.sources.keys()]),
    ...wanted.map(([, value]) => value),
  ];
  if (isDeletedOnly) values.push(JSON.stringify([...request.newest]));
  return prepareOnce<unknown[], Candidate>(database, sql).all(...values);
}

function trigramsOf(literals: readonly string[]): readonly string[] {
  const trigrams = new Set<string>();
  for (const literal of literals) {
    const characters = Array.from(literal);
    for (let at = 0; at + 3 <= characters.length; at += 1) {
      if (trigrams.size < MOST_TRIGRAMS) trigrams.add(characters.slice(at, at + 3).join(''));
    }
  }
  return [...trigrams];
}

function foundOf(
  database: HistoryDatabase,
  { id, folder, name }: Candidate,
  folders: FolderMatches,
  request: FindRequest,
): FoundEntry | undefined {
  const rows = prepareOnce<[number], SourceRow>(
    database,
    'SELECT entry, source, low, high, kind, size, modified, content FROM version WHERE entry = ? ORDER BY low',
  ).all(id);
  const searched = rows.filter(({ source }) => request.sources.has(source));
  const isDeleted = !searched.some(({ source, high }) => high === END && request.newest.has(source));
  const versions = searched.flatMap((row): readonly FoundVersion[] => {
    if (!isSelected(row, request)) return [];
    const version = versionOf(row, request.sources.get(row.source)!);
    return version ? [{ source: row.source, ...version }] : [];
  });
  return versions.length === 0 ? undefined : { path: `${folders.pathOf(folder)}/${name}`, versions, isDeleted };
}

function isSelected({ kind, size, modified }: VersionRow, request: FindRequest): boolean {
  const { minimumSize = 0, maximumSize = Infinity, modifiedFrom = -Infinity, modifiedTo = Infinity } = request;
  return (
    (request.kind === undefined || KINDS[kind] === request.kind) &&
    size >= minimumSize &&
    size <= maximumSize &&
    modified >= modifiedFrom &&
    modified <= modifiedTo
  );
}
