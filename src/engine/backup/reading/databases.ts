import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FILE, type CatalogEntries, type KnownEntry } from '../../catalog/entries/entries.ts';
import { SIDECARS, type CopiedMember } from '../../chunk/copy-database.ts';
import { entryPathOf, mayNeedEscape } from '../../filesystem/names/entry-path.ts';
import { sameContent } from '../../filesystem/stat-record.ts';
import { throwIfInterrupted } from '../../job/interruption.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import { isDatabase } from '../../scan/database-file.ts';
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

/** A database of SQLite of which a part has changed. */
interface Database {
  readonly directory: number;
  readonly name: string;
  readonly path: string;
  /** Of its folder. */
  readonly place: number;
  /** What the scan has found, by name. */
  readonly found: Map<string, FoundFile>;
}

interface DatabasesParts {
  readonly catalogRun: WritableRun;
  readonly pool: BackupPool;
  readonly copies: FilesInCopies;
  readonly scratch: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * The databases of a run. A database of SQLite, its write-ahead log and its journal are one thing: they are copied together, in a state of one moment, and read from the
 * copies, also when chunks are uploaded later. Where that is not possible, all keep their previous version.
 */
export class Databases {
  readonly #parts: DatabasesParts;
  readonly #found = new Map<string, Database>();
  /** Logs and journals that are gone, and stay until the database was read: its previous version is nothing without them. */
  readonly #gone = new Map<string, { readonly directory: number; readonly name: string }>();
  #added = 0;
  #removed = 0;

  constructor(parts: DatabasesParts) {
    this.#parts = parts;
  }

  /** Takes a file that belongs to a database. Returns false for any other. */
  take(file: FoundFile): boolean {
    const suffix = sidecarOf(file.name);
    const path = file.path.slice(0, file.path.length - suffix.length);
    if (suffix === '' && (file.size < PAGE_UNIT || file.size % PAGE_UNIT !== 0)) return false;
    if (!isDatabase(path)) return false;
    const name = file.name.slice(0, file.name.length - suffix.length);
    const { directory, place } = file;
    const database = this.#found.get(path) ?? {
      directory: directory!,
      name,
      path,
      place,
      found: new Map<string, FoundFile>(),
    };
    database.found.set(file.name, file);
    this.#found.set(path, database);
    return true;
  }

  /** Keeps an entry that is gone until its database was read. Returns false if it is no log and no journal. */
  keep(directory: number, known: KnownEntry): boolean {
    if (known.kind !== FILE || sidecarOf(known.name) === '') return false;
    this.#gone.set(`${directory}/${known.name}`, { directory, name: known.name });
    return true;
  }

  /** Copies and queues what was taken. */
  async read(queue: ChunkingQueue, onWarning: (warning: RunWarning) => void): Promise<void> {
    const { copies, scratch, pool, signal, catalogRun } = this.#parts;
    let number = 0;
    for (const database of this.#found.values()) {
      throwIfInterrupted(signal);
      number += 1;
      const folder = join(copies.folderIn(scratch), String(number));
      mkdirSync(folder);
      // A copy has the name of its file, which says how to compress it.
      const copy = join(folder, mayNeedEscape(database.name) ? 'database' : database.name);
      const { members } = await pool.run('copyDatabase', { path: database.path, copy });
      if (members.length > 0) for (const file of this.#membersOf(database, members)) await queue.add(file);
      else await this.#settle(database, queue, onWarning);
    }
    for (const { directory, name } of this.#gone.values()) {
      catalogRun.entries.remove(directory, name, null);
    }
  }

  /** Returns what the scan has counted, with what came and went since. */
  corrected(counts: ScanCounts): ScanCounts {
    return { ...counts, files: counts.files + this.#added, unchangedFiles: counts.unchangedFiles - this.#removed };
  }

  /** Has the copies read. What is not copied is not there, and what has not changed is stored. */
  #membersOf({ directory, name, path, place, found }: Database, members: readonly CopiedMember[]): FoundFile[] {
    const { copies, catalogRun } = this.#parts;
    const { entries } = catalogRun;
    const removed: KnownEntry[] = [];
    for (const suffix of SIDECARS) {
      if (members.some((member) => member.suffix === suffix)) continue;
      const known = entries.find(directory, name + suffix);
      if (!known || known.kind !== FILE) continue;
      if (!found.has(known.name) && !this.#gone.has(`${directory}/${known.name}`)) this.#removed += 1;
      removed.push(known);
      this.#gone.delete(`${directory}/${known.name}`);
    }
    const files = members.flatMap(({ suffix, copy, size, stat }): FoundFile[] => {
      const known = entries.find(directory, name + suffix);
      const isKnown = known?.kind === FILE;
      const isBack = this.#gone.delete(`${directory}/${name}${suffix}`);
      if (!found.has(name + suffix) && (!isKnown || isBack)) this.#added += 1;
      if (isKnown && sameContent(known.stat, stat) && !found.has(name + suffix)) return [];
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
    { directory, name, path, found }: Database,
    queue: ChunkingQueue,
    onWarning: (warning: RunWarning) => void,
  ): Promise<void> {
    onWarning({ path, reason: 'database-changing' });
    const { entries } = this.#parts.catalogRun;
    if (entries.find(directory, name)?.kind !== FILE) {
      for (const file of found.values()) await queue.add(file);
      return;
    }
    for (const suffix of SIDECARS) if (this.#gone.delete(`${directory}/${name}${suffix}`)) this.#added += 1;
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
