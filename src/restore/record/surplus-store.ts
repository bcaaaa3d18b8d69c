import type { Database, Statement } from 'better-sqlite3';
import { join } from 'node:path';
import { pages } from './pages.ts';

/** An existing folder of the plan. */
export interface UsedFolder {
  /** Entry path. */
  readonly path: string;
  /** Path below the target folder. */
  readonly location: string;
}

/** Something that exists in a folder of the plan and is not in the plan; a folder with everything in it. */
export interface Surplus {
  /** Path below the target folder. */
  readonly location: string;
  readonly files: number;
  readonly bytes: number;
}

export interface SurplusTotals {
  readonly files: number;
  readonly bytes: number;
  /** Files, links and whole folders. */
  readonly entries: number;
}

export interface ReportedSurplus {
  readonly files: number;
  readonly bytes: number;
  /** Files, links and whole folders: the first 1,000, as paths of this operating system. */
  readonly paths: readonly string[];
  readonly entries: number;
}

/** The part of a plan that says what did not exist at the time that a folder goes back to. */
export class SurplusStore {
  readonly #database: Database;
  readonly #use: Statement;
  readonly #putBeside: Statement;
  readonly #isBeside: Statement<[string], number>;
  readonly #add: Statement;
  readonly #removeBelow: Statement;
  readonly #markMoved: Statement;
  #has: Statement<[string], number> | undefined;

  /** @param database of the plan */
  constructor(database: Database) {
    this.#database = database;
    this.#use = database.prepare('INSERT INTO used VALUES (?, ?)');
    this.#putBeside = database.prepare('INSERT OR IGNORE INTO beside VALUES (?)');
    this.#isBeside = database.prepare<[string], number>('SELECT 1 FROM beside WHERE location = ?').pluck();
    this.#add = database.prepare('INSERT OR REPLACE INTO surplus (location, files, bytes) VALUES (?, ?, ?)');
    this.#markMoved = database.prepare('UPDATE surplus SET moved = 1 WHERE location = ?');
    // `0` follows `/`.
    this.#removeBelow = database.prepare(`DELETE FROM surplus WHERE location > ? || '/' AND location < ? || '0'`);
  }

  addUsed({ path, location }: UsedFolder): void {
    this.#use.run(path, location);
  }

  /** Adds the place of an entry that has another name than its own, since two names of the plan are one there, or both are kept. */
  addBeside(location: string): void {
    this.#putBeside.run(location);
  }

  /** Returns whether an entry of the plan has this place under another name than its own. */
  isBeside(location: string): boolean {
    return this.#isBeside.get(location) === 1;
  }

  /** In the order in which they were added. */
  used(): Generator<UsedFolder> {
    const sql = 'SELECT rowid AS id, path, location FROM used WHERE rowid > ? ORDER BY rowid';
    return pages<UsedFolder & { readonly id: number }, number>(this.#database, sql, 0, ({ id }) => id);
  }

  /** Returns whether the plan has an entry of this path. The first call creates the index. */
  isPlanned(path: string): boolean {
    if (!this.#has) {
      this.#database.exec('CREATE INDEX IF NOT EXISTS entry_path ON entry (path)');
      this.#has = this.#database.prepare<[string], number>('SELECT 1 FROM entry WHERE path = ?').pluck();
    }
    return this.#has.get(path) === 1;
  }

  /** Paths of the planned entries in a folder, at any depth. No other statement may run between two items. */
  *plannedWithin(path: string): Generator<string> {
    const above = path.endsWith('/') ? path.slice(0, -1) : path;
    const select = `SELECT path FROM entry WHERE path > ? || '/' AND path < ? || '0'`;
    yield* this.#database.prepare<[string, string], string>(select).pluck().iterate(above, above);
  }

  add({ location, files, bytes }: Surplus): void {
    this.#add.run(location, files, bytes);
  }

  removeBelow(location: string): void {
    this.#removeBelow.run(location, location);
  }

  inOrder(): Generator<Surplus> {
    const sql = 'SELECT location, files, bytes FROM surplus WHERE location > ? ORDER BY location';
    return pages<Surplus, string>(this.#database, sql, '', ({ location }) => location);
  }

  /** Begins another search. What was found before counts only as far as that finds it, too. */
  searchAgain(): void {
    this.#database.exec(`DROP TABLE IF EXISTS temp.first_search;
      CREATE TEMP TABLE first_search AS SELECT location, files, bytes FROM surplus;
      DELETE FROM surplus;`);
  }

  /** Ends it: keeps what both have found. Either may have a folder as a whole of which the other has some entries. */
  keepCommon(): void {
    this.#database.exec(`CREATE TEMP TABLE second_search AS SELECT location, files, bytes FROM surplus;
      DELETE FROM surplus;`);
    for (const [one, other] of [
      ['first_search', 'second_search'],
      ['second_search', 'first_search'],
    ]) {
      this.#database.exec(`CREATE INDEX temp.${other}_location ON ${other} (location)`);
      const covers = this.#database.prepare<[string], number>(`SELECT 1 FROM temp.${other} WHERE location = ?`).pluck();
      const sql = `SELECT rowid AS id, location, files, bytes FROM temp.${one} WHERE rowid > ? ORDER BY rowid`;
      for (const found of pages<Surplus & { readonly id: number }, number>(this.#database, sql, 0, ({ id }) => id))
        if (withFoldersAbove(found.location).some((path) => covers.get(path))) this.add(found);
    }
    this.#database.exec('DROP TABLE temp.first_search; DROP TABLE temp.second_search;');
  }

  /** Records that it is at its place aside. */
  markMoved(location: string): void {
    this.#markMoved.run(location);
  }

  /** @param limit of locations @param only `moved` leaves out what was not moved */
  first(limit: number, only?: 'moved'): readonly string[] {
    const select = `SELECT location FROM surplus ${conditionOf(only)} ORDER BY location LIMIT ?`;
    return this.#database.prepare<[number], string>(select).pluck().all(limit);
  }

  /** @param only `moved` leaves out what was not moved */
  totals(only?: 'moved'): SurplusTotals {
    const sums = `SELECT count(*) AS entries, coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes
      FROM surplus ${conditionOf(only)}`;
    return this.#database.prepare<[], SurplusTotals>(sums).get()!;
  }
}

function withFoldersAbove(location: string): readonly string[] {
  const names = location.split('/');
  return names.map((_, index) => names.slice(0, names.length - index).join('/'));
}

function conditionOf(only: 'moved' | undefined): string {
  return only === 'moved' ? 'WHERE moved = 1' : '';
}

/** What is named of the surplus. */
const MAX_SURPLUS = 1000;

/** Returns what was moved; in a dry run, what would be. @param target real path of the target folder */
export function reportedSurplus(surplus: SurplusStore, target: string, dryRun = false): ReportedSurplus {
  const only = dryRun ? undefined : 'moved';
  return { ...surplus.totals(only), paths: surplus.first(MAX_SURPLUS, only).map((path) => join(target, path)) };
}
