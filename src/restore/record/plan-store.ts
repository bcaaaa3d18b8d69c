import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { opened } from '../../base/files/handle-shortage.ts';
import { pathSortKey } from '../../model/entry-path.ts';
import { millisecondsOf } from '../../protocol/timestamp.ts';
import type { TreeRecord } from '../../format/tree/record.ts';
import { pages } from './pages.ts';
import { PLAN_SCHEMA } from './schema.ts';
import { SurplusStore } from './surplus-store.ts';
import { TargetFacts } from './target-facts.ts';
import type {
  Action,
  PlannedContent,
  PlannedEntry,
  PlannedFile,
  PlannedFolder,
  PlannedLink,
  PlannedWork,
  StagedFile,
} from './planned-entry.ts';
import { hexDigestOf } from '../../protocol/chunk-hash.ts';
import { CHUNK_RECORD_BYTES, chunkCount, DIGEST_BYTES, sizeAt } from '../../format/chunks/chunk-list.ts';

const FILES = 'SELECT id, path, size, modified FROM entry JOIN content USING (id)';
const WORK = `SELECT entry.*, iif(content.id IS NULL, NULL, lower(hex(content.chunks))) AS chunks, content.sizes,
    coalesce(content.session, 0) AS session, decision.action, decision.name, hard_link.leader
  FROM entry LEFT JOIN content USING (id) LEFT JOIN decision USING (id) LEFT JOIN hard_link USING (id)`;
const SUFFIX = '.plan';
const BILLION = 1_000_000_000n;
/** Rows in one page of work, at most. */
const PAGE_ROWS = 1000;
/** Digests in one page of work. A file of some hundred GiB exceeds it and is a page by itself. */
const PAGE_CHUNK_BYTES = 4 * 2 ** 20;

/**
 * Stores the plan of a restore, entry by entry in path order: a million entries do not fit in memory. Its scratch file is
 * private, so no write waits for the disk. Other statements may run between two items of an iterator unless its comment
 * excludes that.
 */
export class PlanStore implements Disposable {
  /** Has an open transaction. */
  readonly database: Database.Database;
  /** What did not exist at the time of the plan. */
  readonly surplus: SurplusStore;
  readonly found: TargetFacts;
  readonly #file: string;
  readonly #insertEntry: Database.Statement;
  readonly #insertContent: Database.Statement;
  readonly #chunks: Database.Statement<[number], Buffer>;
  readonly #insertStaged: Database.Statement;
  readonly #insertDecision: Database.Statement;
  readonly #leader: Database.Statement<[string, number], number>;
  readonly #insertLink: Database.Statement;
  readonly #insertLocation: Database.Statement;
  #findFile: Database.Statement<[string], PlannedFile> | undefined;
  #entries = 0;

  /** @param folder for the scratch file, which is unlinked while it is open, so that a killed process leaves nothing */
  constructor(folder: string) {
    // Windows cannot unlink an open file: there, what a killed process left is removed by the next one.
    for (const name of readdirSync(folder)) if (name.endsWith(SUFFIX)) removeIfPossible(join(folder, name));
    this.#file = join(folder, `${randomUUID()}${SUFFIX}`);
    const database = opened(() => new Database(this.#file));
    this.database = database;
    database.pragma('main.journal_mode = MEMORY');
    database.pragma('main.synchronous = OFF');
    database.pragma('main.locking_mode = EXCLUSIVE');
    database.pragma('main.cache_size = -16384');
    database.exec('BEGIN');
    database.exec(PLAN_SCHEMA);
    removeIfPossible(this.#file);
    this.surplus = new SurplusStore(database);
    this.found = new TargetFacts(database);
    const columns = 'path, type, mode, seconds, nanoseconds, uid, gid, size, sparse, hardLinkGroup, target, xattrs';
    const values = columns.replaceAll(/\w+/g, '@$&');
    this.#insertEntry = database.prepare(`INSERT INTO entry (id, ${columns}) VALUES (@id, ${values})`);
    this.#insertContent = database.prepare('INSERT INTO content VALUES (?,?,?,?,?)');
    this.#chunks = database.prepare<[number], Buffer>('SELECT chunks FROM content WHERE id = ?').pluck();
    this.#insertStaged = database.prepare('INSERT OR IGNORE INTO staged VALUES (?,?,?,?,?,?)');
    this.#insertDecision = database.prepare('INSERT INTO decision VALUES (?,?,?)');
    this.#leader = database
      .prepare<[string, number], number>(
        'INSERT INTO link_group VALUES (?,?) ON CONFLICT (name) DO UPDATE SET leader = leader RETURNING leader',
      )
      .pluck();
    this.#insertLink = database.prepare('INSERT INTO hard_link VALUES (?,?)');
    this.#insertLocation = database.prepare('INSERT INTO location VALUES (?,?)');
  }

  /** Number of entries. Their ids count from 1. */
  get entries(): number {
    return this.#entries;
  }

  /**
   * Adds records in path order.
   *
   * @param session index of the restore session that serves a file's chunks
   */
  addRecord(record: TreeRecord, session: number): void {
    const nanoseconds = ((record.mtimeNs % BILLION) + BILLION) % BILLION;
    const id = this.addEntry({
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
    if (record.type !== 'file') return;
    const modified = millisecondsOf(record.mtimeNs);
    const { chunks } = record;
    this.addContent(id, { modified, session, chunks: digestsOfList(chunks), sizes: sizesOfList(chunks) });
  }

  /** @returns its id */
  addEntry(entry: Omit<PlannedEntry, 'id'>): number {
    this.#entries += 1;
    this.#insertEntry.run({ ...entry, id: this.#entries });
    return this.#entries;
  }

  addContent(id: number, { modified, session, chunks, sizes }: PlannedContent): void {
    this.#insertContent.run(id, modified, session, chunks, sizes ?? null);
  }

  /** Packed digests of a file, 32 bytes each; `undefined` for other entries. */
  chunksOf(id: number): Buffer | undefined {
    return this.#chunks.get(id);
  }

  /** Plaintext sizes of these chunks, 32-bit big-endian; `undefined` if no tree names them. */
  sizesOf(id: number): Buffer | undefined {
    const sizes = this.database.prepare<[number], Buffer | null>('SELECT sizes FROM content WHERE id = ?');
    return sizes.pluck().get(id) ?? undefined;
  }

  /** Finds a file by its path. The first call creates the index. */
  findFile(path: string): PlannedFile | undefined {
    if (!this.#findFile) {
      this.database.exec('CREATE INDEX IF NOT EXISTS entry_path ON entry (path)');
      this.#findFile = this.database.prepare<[string], PlannedFile>(`${FILES} WHERE path = ?`);
    }
    return this.#findFile.get(path);
  }

  /** Returns whether a file has a path in a range, and an end. */
  hasFile({ from, before, end }: { readonly from: string; readonly before: string; readonly end: string }): boolean {
    const found = this.database.prepare<[string, string, string], PlannedFile>(
      `${FILES} WHERE path >= ? AND path < ? AND path LIKE '%' || ? LIMIT 1`,
    );
    return found.get(from, before, end) !== undefined;
  }

  /** Files in path order. */
  filesInOrder(): Generator<PlannedFile> {
    return this.#pages(`${FILES} WHERE id > ? ORDER BY id`);
  }

  /** Stores a file of a manifest for `stagedInOrder`, unless its path was staged before. */
  stage({ path, size, modified, session, chunks }: Omit<StagedFile, 'key'>): void {
    this.#insertStaged.run(pathSortKey(path), path, size, modified, session, chunks);
  }

  /** Staged files in path order. */
  stagedInOrder(): Generator<StagedFile> {
    const sql = 'SELECT * FROM staged WHERE key > ? ORDER BY key';
    return pages<StagedFile, string>(this.database, sql, '', ({ key }) => key);
  }

  /** Deletes all staged files. */
  clearStaged(): void {
    this.database.exec('DELETE FROM staged');
  }

  /** Everything in path order. */
  entriesInOrder(): Generator<PlannedEntry> {
    return this.#pages(`SELECT * FROM entry WHERE id > ? ORDER BY id`);
  }

  /** @param name the name beside an existing one, if it gets one */
  decide(id: number, action: Action, name: string | null): void {
    this.#insertDecision.run(id, action, name);
  }

  /**
   * Adds an entry to the names of one file.
   *
   * @returns whether it is the first, under which the file is written
   */
  addName(id: number, file: string): boolean {
    const leader = this.#leader.get(file, id)!;
    this.#insertLink.run(id, leader);
    return leader === id;
  }

  /** Changes the plan before anything is decided. @param change removes entries */
  narrow(change: (database: Database.Database) => void): void {
    change(this.database);
    this.#entries = this.database.prepare<[], number>('SELECT coalesce(max(id), 0) FROM entry').pluck().get()!;
  }

  /** Stores the location of an entry for `linksInOrder` or `foldersInnermostFirst`, as a path below the target folder. */
  setLocation(id: number, location: string): void {
    this.#insertLocation.run(id, location);
  }

  /** Everything in path order, with content and decision. */
  *workInOrder(): Generator<PlannedWork> {
    const extent = this.database.prepare(
      `SELECT max(id) AS last FROM (
         SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM (
           SELECT entry.id, coalesce(length(content.chunks), 0) AS bytes FROM entry LEFT JOIN content USING (id)
           WHERE entry.id > ? ORDER BY entry.id LIMIT ${PAGE_ROWS})
       ) WHERE before < ${PAGE_CHUNK_BYTES}`,
    );
    const page = this.database.prepare(`${WORK} WHERE entry.id > ? AND entry.id <= ? ORDER BY entry.id`);
    for (let from = 0; from < this.#entries;) {
      const { last } = extent.get(from) as { last: number };
      yield* page.all(from, last) as PlannedWork[];
      from = last;
    }
  }

  /** The digests of every file that is going to be written, in hex. No other statement may run between two items. */
  *chunkListsToWrite(): Generator<string> {
    yield* this.database
      .prepare<[], string>(
        `SELECT hex(content.chunks) FROM content LEFT JOIN decision USING (id) LEFT JOIN hard_link USING (id)
         WHERE coalesce(decision.action, '') NOT IN ('skip', 'keep', 'done') AND coalesce(hard_link.leader, content.id) = content.id`,
      )
      .pluck()
      .iterate();
  }

  /** Further names of files, in path order. */
  linksInOrder(): Generator<PlannedLink> {
    return this.#pages(
      `SELECT entry.*, decision.action, hard_link.leader, leading.location AS leaderLocation, location.location
       FROM hard_link JOIN entry USING (id) JOIN location USING (id) LEFT JOIN decision USING (id)
       LEFT JOIN location AS leading ON leading.id = hard_link.leader
       WHERE hard_link.id > ? AND hard_link.id <> hard_link.leader AND coalesce(decision.action, '') <> 'done'
       ORDER BY hard_link.id`,
    );
  }

  /** Folders with a location, those inside others first. */
  foldersInnermostFirst(): Generator<PlannedFolder> {
    return this.#pages(
      `SELECT entry.*, location.location FROM location JOIN entry USING (id)
       WHERE entry.type = 'directory' AND location.id < ? ORDER BY location.id DESC`,
      Number.MAX_SAFE_INTEGER,
    );
  }

  /** Number of files, and their bytes. */
  totals(): { readonly filesTotal: number; readonly bytesTotal: number } {
    const sums = `SELECT count(*) AS filesTotal, coalesce(sum(size), 0) AS bytesTotal FROM entry WHERE type = 'file'`;
    return this.database.prepare(sums).get() as { filesTotal: number; bytesTotal: number };
  }

  [Symbol.dispose](): void {
    this.database.close();
    removeIfPossible(this.#file);
  }

  /** @param sql selects what comes after an id, its only parameter */
  #pages<Row extends { readonly id: number }>(sql: string, start = 0): Generator<Row> {
    return pages<Row, number>(this.database, sql, start, ({ id }) => id);
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Open, on a system that does not remove open files.
  }
}

function encodeXattrs(xattrs: Readonly<Record<string, Uint8Array>>): string {
  return JSON.stringify(Object.entries(xattrs).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
}

/** Concatenates the raw digests of chunk hashes (`sha256:<hex>`), 32 bytes each, as the plan store has them. */
export function digestsOfHashes(hashes: readonly string[]): Buffer {
  const digests = Buffer.allocUnsafe(hashes.length * DIGEST_BYTES);
  hashes.forEach((hash, index) => digests.write(hexDigestOf(hash), index * DIGEST_BYTES, 'hex'));
  return digests;
}

/** Concatenates the digests of a chunk list. */
export function digestsOfList(list: Buffer): Buffer {
  const digests = Buffer.allocUnsafe(chunkCount(list) * DIGEST_BYTES);
  for (let index = 0; index < chunkCount(list); index += 1) {
    const start = index * CHUNK_RECORD_BYTES;
    list.copy(digests, index * DIGEST_BYTES, start, start + DIGEST_BYTES);
  }
  return digests;
}

/** The sizes of a chunk list, 32-bit big-endian. */
export function sizesOfList(list: Buffer): Buffer {
  const sizes = Buffer.allocUnsafe(chunkCount(list) * 4);
  for (let index = 0; index < chunkCount(list); index += 1) sizes.writeUInt32BE(sizeAt(list, index), index * 4);
  return sizes;
}
