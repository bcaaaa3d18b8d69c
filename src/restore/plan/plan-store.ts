import Database from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathSortKey } from '../../model/entry-path.ts';
import { millisecondsOf } from '../../protocol/timestamp.ts';
import type { TreeRecord } from '../../format/tree/record.ts';
import { CompanionStore } from './companion-store.ts';
import { digestsOfList, sizesOfList } from './digests.ts';
import { LocalChunkStore } from './local-chunk-store.ts';
import { removeIfPossible, removeLeftOvers } from './scratch-file.ts';
import { SharedFiles } from './shared-files.ts';
import { SpellingStore } from './spelling-store.ts';
import { SurplusStore } from './surplus-store.ts';
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

const SCHEMA = `
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, type TEXT NOT NULL, mode INTEGER NOT NULL, seconds INTEGER,
    nanoseconds INTEGER NOT NULL, uid INTEGER, gid INTEGER, size INTEGER NOT NULL, sparse INTEGER NOT NULL,
    hardLinkGroup TEXT, target TEXT, xattrs TEXT);
  CREATE TABLE content (
    id INTEGER PRIMARY KEY, modified INTEGER NOT NULL, session INTEGER NOT NULL, chunks BLOB NOT NULL, sizes BLOB);
  CREATE TABLE staged (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    session INTEGER NOT NULL, chunks BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE decision (id INTEGER PRIMARY KEY, action TEXT, name TEXT);
  CREATE TABLE link_group (name TEXT PRIMARY KEY, leader INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE hard_link (id INTEGER PRIMARY KEY, leader INTEGER NOT NULL);
  CREATE TABLE claimed (file TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE location (id INTEGER PRIMARY KEY, location TEXT NOT NULL);
`;

const FILES = 'SELECT id, path, size, modified FROM entry JOIN content USING (id)';
const WORK = `SELECT entry.*, iif(content.id IS NULL, NULL, lower(hex(content.chunks))) AS chunks, content.sizes,
    coalesce(content.session, 0) AS session, decision.action, decision.name, hard_link.leader
  FROM entry LEFT JOIN content USING (id) LEFT JOIN decision USING (id) LEFT JOIN hard_link USING (id)`;
const SUFFIX = '.plan';
const BILLION = 1_000_000_000n;
const PAGE_ROWS = 1000;
/** Digests in one page of work. A file of some hundred GiB exceeds it and is a page by itself. */
const PAGE_CHUNK_BYTES = 4 * 2 ** 20;

/**
 * Stores the plan of a restore, entry by entry in path order: a million entries do not fit in memory. Its scratch file is
 * private, so no write waits for the disk. Other statements may run between two items of an iterator unless its comment
 * excludes that.
 */
export class PlanStore implements Disposable {
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #insertEntry: Database.Statement;
  readonly #insertContent: Database.Statement;
  readonly #chunks: Database.Statement<[number], Buffer>;
  readonly #insertStaged: Database.Statement;
  readonly #insertDecision: Database.Statement;
  readonly #leader: Database.Statement<[string, number], number>;
  readonly #insertLink: Database.Statement;
  readonly #claim: Database.Statement;
  readonly #insertLocation: Database.Statement;
  /** What did not exist at the time of the plan. */
  readonly surplus: SurplusStore;
  readonly companions: CompanionStore;
  readonly spellings: SpellingStore;
  readonly localChunks: LocalChunkStore;
  readonly sharedFiles: SharedFiles;
  #findFile: Database.Statement<[string], PlannedFile> | undefined;
  #entries = 0;

  /** @param folder for the scratch file, which is unlinked while it is open, so that a killed process leaves nothing */
  constructor(folder: string) {
    removeLeftOvers(folder, SUFFIX);
    this.#file = join(folder, `${randomUUID()}${SUFFIX}`);
    this.#database = new Database(this.#file);
    this.#database.pragma('journal_mode = MEMORY');
    this.#database.pragma('synchronous = OFF');
    this.#database.pragma('locking_mode = EXCLUSIVE');
    this.#database.pragma('cache_size = -16384');
    this.#database.exec('BEGIN');
    this.#database.exec(SCHEMA);
    this.surplus = new SurplusStore(this.#database);
    this.companions = new CompanionStore(this.#database);
    this.spellings = new SpellingStore(this.#database);
    this.localChunks = new LocalChunkStore(this.#database);
    this.sharedFiles = new SharedFiles(this.#database);
    removeIfPossible(this.#file);
    this.#insertEntry = this.#database.prepare('INSERT INTO entry VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)');
    this.#insertContent = this.#database.prepare('INSERT INTO content VALUES (?,?,?,?,?)');
    this.#chunks = this.#database.prepare<[number], Buffer>('SELECT chunks FROM content WHERE id = ?').pluck();
    this.#insertStaged = this.#database.prepare('INSERT OR IGNORE INTO staged VALUES (?,?,?,?,?,?)');
    this.#insertDecision = this.#database.prepare('INSERT INTO decision VALUES (?,?,?)');
    this.#leader = this.#database
      .prepare<[string, number], number>(
        'INSERT INTO link_group VALUES (?,?) ON CONFLICT (name) DO UPDATE SET leader = leader RETURNING leader',
      )
      .pluck();
    this.#insertLink = this.#database.prepare('INSERT INTO hard_link VALUES (?,?)');
    this.#claim = this.#database.prepare('INSERT OR IGNORE INTO claimed VALUES (?)');
    this.#insertLocation = this.#database.prepare('INSERT INTO location VALUES (?,?)');
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

  addContent(id: number, { modified, session, chunks, sizes }: PlannedContent): void {
    this.#insertContent.run(id, modified, session, chunks, sizes ?? null);
  }

  /** Packed digests of a file, 32 bytes each; `undefined` for other entries. */
  chunksOf(id: number): Buffer | undefined {
    return this.#chunks.get(id);
  }

  /** Plaintext sizes of these chunks, 32-bit big-endian; `undefined` if no tree names them. */
  sizesOf(id: number): Buffer | undefined {
    const sizes = this.#database.prepare<[number], Buffer | null>('SELECT sizes FROM content WHERE id = ?');
    return sizes.pluck().get(id) ?? undefined;
  }

  /** Finds a file by its path. The first call creates the index. */
  findFile(path: string): PlannedFile | undefined {
    if (!this.#findFile) {
      this.#database.exec('CREATE INDEX IF NOT EXISTS entry_path ON entry (path)');
      this.#findFile = this.#database.prepare<[string], PlannedFile>(`${FILES} WHERE path = ?`);
    }
    return this.#findFile.get(path);
  }

  /** Returns whether a file has a path in a range, and an end. */
  hasFile({ from, before, end }: { readonly from: string; readonly before: string; readonly end: string }): boolean {
    const found = this.#database.prepare<[string, string, string], PlannedFile>(
      `${FILES} WHERE path >= ? AND path < ? AND path LIKE '%' || ? LIMIT 1`,
    );
    return found.get(from, before, end) !== undefined;
  }

  /** Files in path order. */
  filesInOrder(): Generator<PlannedFile> {
    return this.#pages(`${FILES} WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`);
  }

  /** Stores a file of a manifest for `stagedInOrder`, unless its path was staged before. */
  stage({ path, size, modified, session, chunks }: Omit<StagedFile, 'key'>): void {
    this.#insertStaged.run(pathSortKey(path), path, size, modified, session, chunks);
  }

  /** Staged files in path order. */
  *stagedInOrder(): Generator<StagedFile> {
    const page = this.#database.prepare<[string], StagedFile>(
      `SELECT * FROM staged WHERE key > ? ORDER BY key LIMIT ${PAGE_ROWS}`,
    );
    for (let rows = page.all(''); rows.length > 0; rows = page.all(rows.at(-1)!.key)) yield* rows;
  }

  /** Deletes all staged files. */
  clearStaged(): void {
    this.#database.exec('DELETE FROM staged');
  }

  /** Everything in path order. */
  entriesInOrder(): Generator<PlannedEntry> {
    return this.#pages(`SELECT * FROM entry WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`);
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
    change(this.#database);
    this.#entries = this.#database.prepare<[], number>('SELECT coalesce(max(id), 0) FROM entry').pluck().get()!;
  }

  /** Claims a file of the target for one entry; returns `false` if another one has it. */
  claim(file: string): boolean {
    return this.#claim.run(file).changes === 1;
  }

  /** Stores the location of an entry for `linksInOrder` or `foldersInnermostFirst`, as a path below the target folder. */
  setLocation(id: number, location: string): void {
    this.#insertLocation.run(id, location);
  }

  /** Everything in path order, with content and decision. */
  *workInOrder(): Generator<PlannedWork> {
    const extent = this.#database.prepare(
      `SELECT max(id) AS last FROM (
         SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM (
           SELECT entry.id, coalesce(length(content.chunks), 0) AS bytes FROM entry LEFT JOIN content USING (id)
           WHERE entry.id > ? ORDER BY entry.id LIMIT ${PAGE_ROWS})
       ) WHERE before < ${PAGE_CHUNK_BYTES}`,
    );
    const page = this.#database.prepare(`${WORK} WHERE entry.id > ? AND entry.id <= ? ORDER BY entry.id`);
    for (let from = 0; from < this.#entries;) {
      const { last } = extent.get(from) as { last: number };
      yield* page.all(from, last) as PlannedWork[];
      from = last;
    }
  }

  /** The digests of every file that is going to be written, in hex. No other statement may run between two items. */
  *chunkListsToWrite(): Generator<string> {
    yield* this.#database
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
       ORDER BY hard_link.id LIMIT ${PAGE_ROWS}`,
    );
  }

  /** Folders with a location, those inside others first. */
  foldersInnermostFirst(): Generator<PlannedFolder> {
    return this.#pages(
      `SELECT entry.*, location.location FROM location JOIN entry USING (id)
       WHERE entry.type = 'directory' AND location.id < ? ORDER BY location.id DESC LIMIT ${PAGE_ROWS}`,
      Number.MAX_SAFE_INTEGER,
    );
  }

  /** Number of files, and their bytes. */
  totals(): { readonly filesTotal: number; readonly bytesTotal: number } {
    const sums = `SELECT count(*) AS filesTotal, coalesce(sum(size), 0) AS bytesTotal FROM entry WHERE type = 'file'`;
    return this.#database.prepare(sums).get() as { filesTotal: number; bytesTotal: number };
  }

  [Symbol.dispose](): void {
    this.#database.close();
    removeIfPossible(this.#file);
  }

  /** @param sql selects the page after an id, which is the only parameter */
  *#pages<Row extends { readonly id: number }>(sql: string, start = 0): Generator<Row> {
    const page = this.#database.prepare<[number], Row>(sql);
    for (let rows = page.all(start); rows.length > 0; rows = page.all(rows.at(-1)!.id)) yield* rows;
  }
}

function encodeXattrs(xattrs: Readonly<Record<string, Uint8Array>>): string {
  return JSON.stringify(Object.entries(xattrs).map(([name, value]) => [name, Buffer.from(value).toString('base64')]));
}
