import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parentOf } from '../../../model/entry-path.ts';
import type { CatalogEntries } from '../../../catalog/entries/entries.ts';
import { FILE, type KnownEntry } from '../../../catalog/entries/entry.ts';
import type { CopyDatabaseOutput, DatabaseMember } from '../../chunk/database/copy-database.ts';
import { CURRENT, isPart } from '../../chunk/database/leveldb.ts';
import { isHalfWritten, SIDECARS, SQLITE } from '../../chunk/database/sqlite.ts';
import { entryPathOf, fileSystemPath, mayNeedEscape } from '../../../os/filesystem/names/entry-path.ts';
import { packedStat, hasSameSignature } from '../../../os/filesystem/stat-record.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { databaseKindOf, isLevelDb, type DatabaseKind } from '../../../os/filesystem/database-file.ts';
import { readDetailSync } from '../../scan/entry-detail.ts';
import type { FoundFile, ScanCounts, StoredTogether } from '../../scan/types.ts';
import type { WritableRun } from '../catalog-run.ts';
import type { BackupPool } from '../tasks.ts';
import type { ChunkingQueue } from './chunking-queue.ts';
import type { FilesInCopies } from './volume-copies.ts';

/** Every page, and so every database, is a multiple of it. */
const PAGE_UNIT = 512;

/** Stores the parts of a database in one transaction when the last of them was read: a process may be killed in between. */
class OneTransaction implements StoredTogether {
  readonly #entries: CatalogEntries;
  readonly #work: (() => void)[];
  #left: number;

  /** @param work done before the parts are stored */
  constructor(entries: CatalogEntries, parts: number, work: () => void) {
    this.#entries = entries;
    this.#left = parts;
    this.#work = [work];
    if (parts === 0) this.#store();
  }

  ready(store: () => void): void {
    this.#work.push(store);
    this.#left -= 1;
    if (this.#left === 0) this.#store();
  }

  #store(): void {
    this.#entries.flush();
    for (const work of this.#work) work();
  }
}

/** Stores a database that is read where it is, if it has not changed since nothing was beside it. */
class Unchanged implements StoredTogether {
  readonly #stat: Uint8Array;
  readonly #together: OneTransaction;
  readonly #onChanged: (store: () => void) => void;

  constructor(stat: Uint8Array, together: OneTransaction, onChanged: (store: () => void) => void) {
    this.#stat = stat;
    this.#together = together;
    this.#onChanged = onChanged;
  }

  ready(store: () => void, read: Uint8Array): void {
    if (hasSameSignature(this.#stat, read)) this.#together.ready(store);
    else this.#onChanged(store);
  }
}

/** A database of which a part has changed. */
interface Database {
  readonly kind: DatabaseKind;
  readonly directory: number;
  /** Empty for a folder, in which everything that belongs to the database is. */
  readonly name: string;
  /** With `name` at its end; of a folder, with a slash. */
  readonly path: string;
  /** The place of its folder. */
  readonly place: number;
  /** What the scan has found, by name. */
  readonly found: Map<string, FoundFile>;
}

type FileOfDatabase = Pick<FoundFile, 'name' | 'path'> & { readonly directory: number };

interface DatabasesParts {
  readonly catalogRun: WritableRun;
  readonly pool: BackupPool;
  readonly copies: FilesInCopies;
  readonly scratch: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * The databases of a run. All files of a database are one thing: they are copied together, in a state of one moment, and read from the copies, also when chunks are uploaded
 * later. Where that is not possible, all keep their previous version.
 */
export class Databases {
  readonly #parts: DatabasesParts;
  readonly #found = new Map<string, Database>();
  /** Parts that are gone, and stay until the database was read: its previous version is nothing without them. */
  readonly #gone = new Map<string, { readonly directory: number; readonly name: string }>();
  /** The folder that was asked for last: files of a folder come one after the other. */
  #folder = { path: '', isLevelDb: false };
  #added = 0;
  #removed = 0;

  constructor(parts: DatabasesParts) {
    this.#parts = parts;
  }

  /** Takes a file that belongs to a database. Returns false for any other. */
  take(file: FoundFile): boolean {
    const database = this.#databaseOf(file);
    if (!database) return false;
    const known = this.#found.get(database.path) ?? database;
    known.found.set(file.name, file);
    this.#found.set(known.path, known);
    return true;
  }

  #databaseOf({ directory, name, path, size, place }: FoundFile): Database | undefined {
    const of = (kind: DatabaseKind, end: number): Database => ({
      kind,
      directory: directory!,
      name: name.slice(0, name.length - end),
      path: path.slice(0, path.length - end),
      place,
      found: new Map(),
    });
    if (isPart(name) && this.#isLevelDb(parentOf(path))) return of('leveldb', name.length);
    const { length } = sidecarOf(name);
    if (length === 0 && (size < PAGE_UNIT || size % PAGE_UNIT !== 0)) return undefined;
    const kind = databaseKindOf(path.slice(0, path.length - length));
    return kind === undefined || (length > 0 && kind !== 'sqlite') ? undefined : of(kind, length);
  }

  #isLevelDb(path: string): boolean {
    if (this.#folder.path !== path) this.#folder = { path, isLevelDb: isLevelDb(path) };
    return this.#folder.isLevelDb;
  }

  /** Keeps an entry that is gone until its database was read. Returns false if its name is of no part. */
  keep(directory: number, known: KnownEntry): boolean {
    if (known.kind !== FILE || (sidecarOf(known.name) === '' && !isPart(known.name))) return false;
    this.#gone.set(`${directory}/${known.name}`, { directory, name: known.name });
    return true;
  }

  /** Returns the file to ask for instead of a part that is gone; `undefined` if no database is there. */
  leadOf({ directory, name, path }: FileOfDatabase): FileOfDatabase | undefined {
    if (isPart(name) && this.#isLevelDb(parentOf(path))) {
      return { directory, name: CURRENT, path: path.slice(0, path.length - name.length) + CURRENT };
    }
    const { length } = sidecarOf(name);
    const lead = { directory, name: name.slice(0, name.length - length), path: path.slice(0, path.length - length) };
    return length > 0 && databaseKindOf(lead.path) === 'sqlite' ? lead : undefined;
  }

  /** Copies and queues what was taken. */
  async read(queue: ChunkingQueue, onWarning: (warning: RunWarning) => void): Promise<void> {
    const { copies, scratch, pool, signal, catalogRun } = this.#parts;
    for (const database of this.#found.values()) {
      throwIfInterrupted(signal);
      const { kind, name, path, found } = database;
      const folder = mkdtempSync(join(copies.folderIn(scratch), 'copy-'));
      // A copy has the name of its file, which says how to compress it.
      const copy = join(folder, mayNeedEscape(name) ? 'database' : name) + (name === '' ? '/' : '');
      const stored = [...this.#storedParts(database)].filter((entry) => !found.has(entry.name));
      // The buffers of the catalog are views of blocks that change.
      const known = new Map(stored.map((entry) => [entry.name.slice(name.length), new Uint8Array(entry.stat)]));
      const answer = await pool.run('copyDatabase', { kind, path, copy, known });
      if (answer.members.length > 0)
        for (const file of this.#membersOf(database, answer.members)) await queue.add(file);
      else {
        // What was copied in vain would keep its room until the end of the run.
        rmSync(folder, { recursive: true });
        await this.#settle(database, answer, queue, onWarning);
      }
    }
    for (const { directory, name } of this.#gone.values()) {
      catalogRun.entries.remove(directory, name, null);
    }
  }

  /** Returns what the scan has counted, with what came and went since. */
  corrected(counts: ScanCounts): ScanCounts {
    return { ...counts, files: counts.files + this.#added, unchangedFiles: counts.unchangedFiles - this.#removed };
  }

  /** The files of a database in their stored version. */
  *#storedParts({ kind, directory, name }: Database): Iterable<KnownEntry> {
    const { entries } = this.#parts.catalogRun;
    if (kind === 'leveldb') {
      for (const known of entries.eachChild(directory)) if (known.kind === FILE && isPart(known.name)) yield known;
      return;
    }
    for (const suffix of kind === 'sqlite' ? ['', ...SIDECARS] : ['']) {
      const known = entries.find(directory, name + suffix);
      if (known?.kind === FILE) yield known;
    }
  }

  /** Has the copies read. What is not copied is not there, and what has not changed is stored. */
  #membersOf(database: Database, members: readonly DatabaseMember[]): FoundFile[] {
    const { directory, name, path, place, found } = database;
    const { copies, catalogRun } = this.#parts;
    const { entries } = catalogRun;
    const names = new Set(members.map(({ suffix }) => name + suffix));
    const removed = [...this.#storedParts(database)].filter((known) => !names.has(known.name));
    for (const known of removed) {
      if (!found.has(known.name) && !this.#gone.has(`${directory}/${known.name}`)) this.#removed += 1;
      this.#gone.delete(`${directory}/${known.name}`);
    }
    const files = members.flatMap(({ suffix, copy, size, stat }): FoundFile[] => {
      if (copy === undefined) return [];
      const known = entries.find(directory, name + suffix);
      const isKnown = known?.kind === FILE;
      const isBack = this.#gone.delete(`${directory}/${name}${suffix}`);
      if (!found.has(name + suffix) && (!isKnown || isBack)) this.#added += 1;
      if (isKnown && hasSameSignature(known.stat, stat) && !found.has(name + suffix)) return [];
      copies.useCopy(path + suffix, entryPathOf(copy), stat);
      const seen = found.get(name + suffix);
      const detail = seen ? seen.detail : detailOf(path + suffix);
      return [
        { directory, name: name + suffix, path: path + suffix, size, stat: Buffer.from(stat), detail, place, isKnown },
      ];
    });
    const together = new OneTransaction(entries, files.length, () => {
      for (const known of removed) entries.remove(directory, known.name, known.child);
    });
    return files.map((file) => Object.assign(file, { together }));
  }

  /** Keeps the previous version as a whole. Without one, what can be read is better than nothing. */
  async #settle(
    database: Database,
    { isTooLarge = false }: CopyDatabaseOutput,
    queue: ChunkingQueue,
    onWarning: (warning: RunWarning) => void,
  ): Promise<void> {
    const { kind, directory, name, path, found } = database;
    const { entries } = this.#parts.catalogRun;
    const warn = (): void => {
      onWarning({
        path: kind === 'leveldb' ? path.slice(0, -1) : path,
        reason: isTooLarge ? 'database-too-large' : 'database-changing',
      });
    };
    const isStored = entries.find(directory, kind === 'leveldb' ? CURRENT : name)?.kind === FILE;
    const kept = [...this.#storedParts(database)].filter((part) => this.#gone.delete(`${directory}/${part.name}`));
    const stat = isTooLarge ? restingStat(database) : undefined;
    const itself = found.get(name);
    if (stat && itself) {
      const together = new OneTransaction(entries, 1, () => {
        for (const part of kept) entries.remove(directory, part.name, part.child);
      });
      const onChanged = (store: () => void): void => {
        warn();
        if (!isStored) store();
      };
      return await queue.add({ ...itself, together: new Unchanged(stat, together, onChanged) });
    }
    warn();
    this.#added += kept.length;
    if (!isStored) for (const file of found.values()) await queue.add(file);
  }
}

/**
 * Returns the stat of a database that is whole by itself, since nothing is beside it: as long as the stat is the same, it can be read where it is. Logs and journals that are gone can then be
 * forgotten.
 */
function restingStat({ kind, path }: Database): Uint8Array | undefined {
  if (kind === 'leveldb') return undefined;
  try {
    const stat = packedStat(lstatSync(fileSystemPath(path), { bigint: true }));
    const isAlone = SIDECARS.every(
      (suffix) => (lstatSync(fileSystemPath(path + suffix), { throwIfNoEntry: false })?.size ?? 0) === 0,
    );
    return isAlone && !(kind === 'sqlite' && isHalfWritten(SQLITE.see(path))) ? stat : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the end of a name that SQLite gives to what is beside a database; empty for any other. */
function sidecarOf(name: string): string {
  return SIDECARS.find((suffix) => name.endsWith(suffix) && name.length > suffix.length) ?? '';
}

function detailOf(path: string): string | null {
  try {
    return readDetailSync(path, false);
  } catch {
    return null;
  }
}
