import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeRecord } from '../../tree/record.ts';
import type { Action } from '../conflicts/decision.ts';

/** An entry of the plan as it is stored; numbers that need 64 bits are split. */
export interface PlannedEntry {
  /** Counts the entries in path order, from 1. */
  readonly id: number;
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly mode: number;
  /** Whole seconds since the epoch, and the nanoseconds beyond; nothing where the time is not known. */
  readonly seconds: number | null;
  readonly nanoseconds: number;
  readonly uid: number | null;
  readonly gid: number | null;
  readonly size: number;
  readonly sparse: 0 | 1;
  readonly hardLinkGroup: string | null;
  readonly target: string | null;
  /** JSON: pairs of name and base64. */
  readonly xattrs: string | null;
}

/** What the manifest said of a file. */
export interface PlannedContent {
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Which of the plan's restore sessions gives the chunks. */
  readonly session: number;
  /** Packed digests, 32 bytes each. */
  readonly chunks: Uint8Array;
}

/** A planned entry with its data and with what is done about it. */
export interface PlannedWork extends PlannedEntry {
  /** Digests, 64 hex digits each; nothing where the manifest had no such file. */
  readonly chunks: string | null;
  /** The size that the manifest gave. */
  readonly contentSize: number | null;
  readonly session: number;
  readonly action: Action | null;
  /** The name that it gets beside an existing one. */
  readonly name: string | null;
  /** The entry whose file gets this one's name too; its own id for that file itself. */
  readonly leader: number | null;
}

const SCHEMA = `
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, type TEXT NOT NULL, mode INTEGER NOT NULL, seconds INTEGER,
    nanoseconds INTEGER NOT NULL, uid INTEGER, gid INTEGER, size INTEGER NOT NULL, sparse INTEGER NOT NULL,
    hardLinkGroup TEXT, target TEXT, xattrs TEXT);
  CREATE TABLE content (id INTEGER PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, session INTEGER NOT NULL, chunks BLOB NOT NULL);
  CREATE TABLE decision (id INTEGER PRIMARY KEY, action TEXT, name TEXT);
  CREATE TABLE hard_link (id INTEGER PRIMARY KEY, leader INTEGER NOT NULL);
  CREATE TABLE place (id INTEGER PRIMARY KEY, target TEXT NOT NULL);
`;
const SUFFIX = '.plan';
const BILLION = 1_000_000_000n;
const PAGE_ROWS = 1000;
/** Digests in one page of work: a file of some hundred GiB has more, and is a page by itself. */
const PAGE_CHUNK_BYTES = 4 * 2 ** 20;

/**
 * What a restore is going to do, entry by entry in path order: a million entries do not fit in memory. A scratch file
 * that nobody else sees, so nothing waits for the disk.
 */
export class PlanStore implements Disposable {
  readonly #file: string;
  readonly database: Database.Database;
  readonly #insertEntry: Database.Statement;
  readonly #insertContent: Database.Statement;
  readonly #chunks: Database.Statement<[number], Buffer>;
  #entries = 0;

  /** @param folder for the scratch file, which has no name as long as it is open, so that a kill leaves nothing */
  constructor(folder: string) {
    removeLeftOvers(folder);
    this.#file = join(folder, `${randomUUID()}${SUFFIX}`);
    this.database = new Database(this.#file);
    this.database.pragma('journal_mode = MEMORY');
    this.database.pragma('synchronous = OFF');
    this.database.pragma('locking_mode = EXCLUSIVE');
    this.database.pragma('cache_size = -16384');
    this.database.exec('BEGIN');
    this.database.exec(SCHEMA);
    removeQuietly(this.#file);
    this.#insertEntry = this.database.prepare('INSERT INTO entry VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)');
    this.#insertContent = this.database.prepare('INSERT OR IGNORE INTO content VALUES (?,?,?,?,?)');
    this.#chunks = this.database.prepare<[number], Buffer>('SELECT chunks FROM content WHERE id = ?').pluck();
  }

  /** Entries so far. */
  get entries(): number {
    return this.#entries;
  }

  /** Takes records in path order. */
  addRecord(record: TreeRecord): void {
    const nanoseconds = ((record.mtimeNs % BILLION) + BILLION) % BILLION;
    this.addEntry({
      path: record.path,
      type: record.type,
      mode: record.mode,
      seconds: Number((record.mtimeNs - nanoseconds) / BILLION),
      nanoseconds: Number(nanoseconds),
      uid: record.uid,
      gid: record.gid,
      size: record.type === 'file' ? record.size : 0,
      sparse: record.type === 'file' && record.sparse ? 1 : 0,
      hardLinkGroup: record.type === 'file' ? (record.hardLinkGroup ?? null) : null,
      target: record.type === 'symlink' ? record.target : null,
      xattrs: record.xattrs ? encodeXattrs(record.xattrs) : null,
    });
  }

  addEntry(entry: Omit<PlannedEntry, 'id'>): number {
    this.#entries += 1;
    this.#insertEntry.run(
      this.#entries,
      entry.path,
      entry.type,
      entry.mode,
      entry.seconds,
      entry.nanoseconds,
      entry.uid,
      entry.gid,
      entry.size,
      entry.sparse,
      entry.hardLinkGroup,
      entry.target,
      entry.xattrs,
    );
    return this.#entries;
  }

  /** The first answer for an entry counts; tells whether this was it. */
  addContent(id: number, content: PlannedContent): boolean {
    const { size, modified, session, chunks } = content;
    return this.#insertContent.run(id, size, modified, session, chunks).changes === 1;
  }

  /** Packed digests of an entry's file, 32 bytes each; nothing where the manifest had no such file. */
  chunksOf(id: number): Buffer | undefined {
    return this.#chunks.get(id);
  }

  /** Everything in path order. */
  *entriesInOrder(): Generator<PlannedEntry> {
    const page = this.database.prepare(`SELECT * FROM entry WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`);
    for (let last = 0; ;) {
      const rows = page.all(last) as PlannedEntry[];
      if (rows.length === 0) return;
      yield* rows;
      last = rows.at(-1)!.id;
    }
  }

  /** Everything in path order, with data and decisions. Other statements may run between two entries. */
  *workInOrder(): Generator<PlannedWork> {
    const extent = this.database.prepare(
      `SELECT max(id) AS last FROM (
         SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM (
           SELECT entry.id, coalesce(length(content.chunks), 0) AS bytes FROM entry LEFT JOIN content USING (id)
           WHERE entry.id > ? ORDER BY entry.id LIMIT ${PAGE_ROWS})
       ) WHERE before < ${PAGE_CHUNK_BYTES}`,
    );
    const page = this.database.prepare(
      `SELECT entry.*, iif(content.id IS NULL, NULL, lower(hex(content.chunks))) AS chunks, content.size AS contentSize, coalesce(content.session, 0) AS session, decision.action, decision.name,
         hard_link.leader
       FROM entry LEFT JOIN content USING (id) LEFT JOIN decision USING (id) LEFT JOIN hard_link USING (id)
       WHERE entry.id > ? AND entry.id <= ? ORDER BY entry.id`,
    );
    for (let from = 0; from < this.#entries;) {
      const { last } = extent.get(from) as { last: number };
      yield* page.all(from, last) as PlannedWork[];
      from = last;
    }
  }

  /** The digests of every file that is going to be written, in hex. No other statement may run meanwhile. */
  *chunkListsToWrite(): Generator<string> {
    yield* this.database
      .prepare<[], string>(
        `SELECT hex(content.chunks) FROM content LEFT JOIN decision USING (id) LEFT JOIN hard_link USING (id)
         WHERE coalesce(decision.action, '') NOT IN ('skip', 'done') AND coalesce(hard_link.leader, content.id) = content.id`,
      )
      .pluck()
      .iterate();
  }

  /** Files and their bytes. */
  totals(): { readonly filesTotal: number; readonly bytesTotal: number } {
    const sums = `SELECT count(*) AS filesTotal, coalesce(sum(size), 0) AS bytesTotal FROM entry WHERE type = 'file'`;
    return this.database.prepare(sums).get() as { filesTotal: number; bytesTotal: number };
  }

  /** Forgets all entries. */
  clear(): void {
    this.database.exec('DELETE FROM content; DELETE FROM entry');
    this.#entries = 0;
  }

  close(): void {
    this.database.close();
    removeQuietly(this.#file);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function encodeXattrs(xattrs: Readonly<Record<string, Uint8Array>>): string {
  return JSON.stringify(Object.entries(xattrs).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
}

/** Windows removes no file that is open: there, what a killed process left is removed by the next one. */
function removeLeftOvers(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith(SUFFIX)) removeQuietly(join(folder, name));
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Open, on a system that does not let go of it.
  }
}
