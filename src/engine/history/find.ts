import { pluckOnce, prepareOnce } from '../../base/statements.ts';
import { pathOfSortKey } from '../../protocol/path.ts';
import type { HistoryDatabase } from './database.ts';
import { parsePattern, type Pattern } from './pattern.ts';
import { versionOf, type HistoryVersion, type Page } from './queries.ts';
import { END } from './schema.ts';
import { KINDS, type EntryKind, type VersionRow } from './version-row.ts';

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
const MOST_EXAMINED = 4000;
/** Names that one page compares with a text that is too short for the index. */
const MOST_SCANNED = 400_000;
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
  const candidates = candidatesOf(database, pattern, folders, after);
  const rows: FoundEntry[] = [];
  for (const candidate of candidates.rows) {
    if (rows.length === count) return { rows, next: candidate.id - 1 };
    if (!pattern.matchesName(candidate.folded ?? candidate.name) || !folders.has(candidate.folder)) continue;
    const found = foundOf(database, candidate, folders, request);
    if (found) rows.push(found);
  }
  return { rows, next: candidates.next };
}

/** The folders that a pattern selects. */
class FolderMatches {
  readonly #database: HistoryDatabase;
  readonly #matched: ReadonlySet<number> | undefined;

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
    return pathOfSortKey(
      pluckOnce<[number], string>(this.#database, 'SELECT key FROM folder WHERE id = ?').get(folder) ?? '',
    );
  }
}

/** Folders of which the entries are looked up one folder after the other. */
const FEW_FOLDERS = 200;

function candidatesOf(
  database: HistoryDatabase,
  { literals }: Pattern,
  folders: FolderMatches,
  after: number,
): Page<Candidate, number> {
  const columns = 'entry.id, entry.folder, entry.name, entry.folded';
  const order = `ORDER BY entry.id LIMIT ${MOST_EXAMINED}`;
  if (folders.ids?.size === 0) return { rows: [], next: undefined };
  const trigrams = trigramsOf(literals);
  if (folders.ids && folders.ids.size <= FEW_FOLDERS) {
    const ids = JSON.stringify([...folders.ids]);
    const sql = `SELECT ${columns} FROM entry WHERE folder IN (SELECT value FROM json_each(?)) AND id > ? ${order}`;
    return pageOf(prepareOnce<[string, number], Candidate>(database, sql).all(ids, after));
  }
  if (trigrams.length > 0) {
    const query = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
    const sql = `SELECT ${columns} FROM name_index JOIN entry ON entry.id = name_index.rowid
      WHERE name_index MATCH ? AND name_index.rowid > ? ORDER BY name_index.rowid LIMIT ${MOST_EXAMINED}`;
    return pageOf(prepareOnce<[string, number], Candidate>(database, sql).all(query, after));
  }
  const until = after + MOST_SCANNED;
  const literal = literals[0] ?? '';
  const sql = `SELECT ${columns} FROM entry
    WHERE id > ? AND id <= ? AND instr(coalesce(folded, name), ?) > 0 ${order}`;
  const page = pageOf(prepareOnce<[number, number, string], Candidate>(database, sql).all(after, until, literal));
  if (page.next !== undefined) return page;
  const hasMore = pluckOnce<[number], number>(database, 'SELECT 1 FROM entry WHERE id > ? LIMIT 1').get(until) === 1;
  return { ...page, next: hasMore ? until : undefined };
}

function pageOf(rows: readonly Candidate[]): Page<Candidate, number> {
  return { rows, next: rows.length < MOST_EXAMINED ? undefined : rows.at(-1)?.id };
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
  if (request.isDeletedOnly === true && !isDeleted) return undefined;
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
