import type { Statement } from 'better-sqlite3';
import { compareNames, entriesOf, indexOfName, OpenBlock } from './block.ts';
import { catalogDamage } from '../damage.ts';
import type { CatalogDatabase } from '../schema.ts';
import type { PackedEntry } from './entry-record.ts';
import { sumOfBlock, sumOfPlace } from '../sums.ts';

/** A directory's position in its set. */
export interface DirectoryPlace {
  readonly setId: number;
  /** `null` if it holds the roots of a set, or if its own entry was not written yet. */
  readonly parent: number | null;
  /** Name in its parent. */
  readonly name: string | null;
}

/** A directory's first block is in its own row and starts before all names. */
const FIRST = '';

interface OpenDirectory {
  place: DirectoryPlace;
  /** True if there are, or once were, blocks after the first. */
  isSplit: boolean;
  /** True if the database has no row for it yet. */
  isNew: boolean;
  /** True if its place differs from the one in the database. */
  isMoved: boolean;
  /** By the lower bound of their names. */
  readonly blocks: Map<string, OpenBlock>;
  /** Bounds of the block found last. Stored bounds do not change while the directory is open. */
  last: { readonly from: string; readonly to: string | undefined } | undefined;
}

type DirectoryRow = [setId: number, parent: number | null, name: string | null, split: number, placeSum: number];
type FirstBlockRow = [entries: Buffer, split: number, sum: number];

/**
 * Stores the blocks of all directories. Writes are buffered in memory until `store`; reads see them. The caller manages
 * transactions.
 */
export class Directories {
  readonly #open = new Map<number, OpenDirectory>();
  #openBytes = 0;
  #nextId: number | undefined;
  readonly #greatestId: Statement<[], number | null>;
  readonly #row: Statement<[number], DirectoryRow>;
  readonly #firstBlock: Statement<[number], FirstBlockRow>;
  readonly #block: Statement<[number, string], [entries: Buffer, sum: number]>;
  readonly #blockAt: Statement<[number, string], string>;
  readonly #blockAfter: Statement<[number, string], string>;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #updateFirstBlock: Statement;
  readonly #putBlock: Statement;
  readonly #deleteBlock: Statement;
  readonly #delete: Statement;

  constructor(database: CatalogDatabase) {
    const prepare = <Values extends unknown[], Row>(sql: string): Statement<Values, Row> =>
      database.prepare(sql) as unknown as Statement<Values, Row>;
    this.#greatestId = prepare<[], number | null>('SELECT max(id) FROM directory').pluck();
    this.#row = prepare<[number], DirectoryRow>(
      'SELECT backup_set, parent, name, split, place_sum FROM directory WHERE id = ?',
    ).raw();
    this.#firstBlock = prepare<[number], FirstBlockRow>('SELECT entries, split, sum FROM directory WHERE id = ?').raw();
    this.#block = prepare<[number, string], [Buffer, number]>(
      'SELECT entries, sum FROM block WHERE directory = ? AND first = ?',
    ).raw();
    this.#blockAt = prepare<[number, string], string>(
      'SELECT first FROM block WHERE directory = ? AND first <= ? ORDER BY first DESC LIMIT 1',
    ).pluck();
    this.#blockAfter = prepare<[number, string], string>(
      'SELECT first FROM block WHERE directory = ? AND first > ? ORDER BY first LIMIT 1',
    ).pluck();
    this.#insert = prepare(
      `INSERT INTO directory (id, backup_set, parent, name, place_sum, split, entries, sum)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#update = prepare('UPDATE directory SET parent = ?, name = ?, place_sum = ? WHERE id = ?');
    this.#updateFirstBlock = prepare('UPDATE directory SET split = ?, entries = ?, sum = ? WHERE id = ?');
    this.#putBlock = prepare(
      `INSERT INTO block (directory, first, entries, sum) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET entries = excluded.entries, sum = excluded.sum`,
    );
    this.#deleteBlock = prepare('DELETE FROM block WHERE directory = ? AND first = ?');
    this.#delete = prepare('DELETE FROM directory WHERE id = ?');
  }

  /** Approximate bytes that are buffered. */
  get openBytes(): number {
    return this.#openBytes;
  }

  create(setId: number): number {
    this.#nextId ??= (this.#greatestId.get() ?? 0) + 1;
    const id = this.#nextId;
    this.#nextId += 1;
    const place = { setId, parent: null, name: null };
    this.#open.set(id, { place, isSplit: false, isNew: true, isMoved: false, blocks: new Map(), last: undefined });
    return id;
  }

  /** Returns `undefined` if there is no such directory. */
  placeOf(directory: number): DirectoryPlace | undefined {
    const open = this.#open.get(directory);
    if (open) return open.place;
    return this.#storedPlace(directory)?.place;
  }

  /** Returns at most `limit` entries after `after` (`''` is before all). */
  read(directory: number, after: string, limit: number): PackedEntry[] {
    const all: PackedEntry[] = [];
    let first: string | undefined = after === '' ? FIRST : this.#firstOf(directory, after);
    while (first !== undefined && all.length < limit) {
      const { entries, isSplit } = this.#entriesAt(directory, first);
      for (const entry of entries) if (after === '' || compareNames(entry.name, after) > 0) all.push(entry);
      first = isSplit ? this.#blockAfter.get(directory, first) : undefined;
    }
    return all.length > limit ? all.slice(0, limit) : all;
  }

  find(directory: number, name: string): PackedEntry | undefined {
    return entryNamed(this.#entriesAround(directory, name), name);
  }

  /** Finds an entry that is going to be written. */
  findToWrite(directory: number, name: string): PackedEntry | undefined {
    return entryNamed(this.#openBlock(directory, name).entries, name);
  }

  /**
   * Adds a record, or replaces the one with its name.
   *
   * @param child its directory, if it is the entry of one
   */
  put(directory: number, name: string, record: Buffer, child: number | null): void {
    this.#openBlock(directory, name).put(record);
    this.#openBytes += record.length;
    if (child !== null) this.#setPlace(child, directory, name);
  }

  remove(directory: number, name: string): void {
    this.#openBlock(directory, name).remove(name);
  }

  /** Removes a directory with everything below it, except its own entry in its parent. */
  removeTree(directory: number): void {
    const pending = [directory];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const { child } of this.read(next, '', Number.POSITIVE_INFINITY)) if (child !== null) pending.push(child);
      const open = this.#open.get(next);
      this.#open.delete(next);
      if (!open?.isNew) this.#delete.run(next); // cascades to its blocks
    }
  }

  /** Writes everything buffered to the database. */
  store(): void {
    for (const [id, open] of this.#open) this.#store(id, open);
    this.forget();
  }

  /** Discards what was not stored. */
  forget(): void {
    this.#open.clear();
    this.#openBytes = 0;
    this.#nextId = undefined;
  }

  #store(id: number, open: OpenDirectory): void {
    const { place, blocks } = open;
    const [firstBlock, ...rest] = blocks.get(FIRST)?.packed() ?? [];
    const split = open.isSplit || rest.length > 0 ? 1 : 0;
    const { setId, parent, name } = place;
    const bytes = firstBlock?.bytes ?? EMPTY;
    const placeSum = sumOfPlace(id, setId, parent, name);
    const sum = sumOfBlock(id, FIRST, split, bytes);
    if (open.isNew) this.#insert.run(id, setId, parent, name, placeSum, split, bytes, sum);
    else {
      if (blocks.get(FIRST)?.isChanged || rest.length > 0) this.#updateFirstBlock.run(split, bytes, sum, id);
      if (open.isMoved) this.#update.run(parent, name, placeSum, id);
    }
    for (const next of rest) this.#storeBlock(id, next.firstName, next.bytes);
    for (const [first, block] of blocks) {
      if (first === FIRST || !block.isChanged) continue;
      const [head, ...others] = block.packed();
      if (head) this.#storeBlock(id, first, head.bytes);
      else this.#deleteBlock.run(id, first);
      for (const next of others) this.#storeBlock(id, next.firstName, next.bytes);
    }
  }

  #storeBlock(directory: number, first: string, entries: Buffer): void {
    this.#putBlock.run(directory, first, entries, sumOfBlock(directory, first, 1, entries));
  }

  /** @throws HoldfastError `home_damaged` */
  #storedPlace(directory: number): { readonly place: DirectoryPlace; readonly isSplit: boolean } | undefined {
    const row = this.#row.get(directory);
    if (!row) return undefined;
    const [setId, parent, name, split, placeSum] = row;
    if (sumOfPlace(directory, setId, parent, name) !== placeSum) throw catalogDamage('directory');
    return { place: { setId, parent, name }, isSplit: split === 1 };
  }

  /** @throws HoldfastError `home_damaged` */
  #storedFirstBlock(directory: number): { readonly entries: Buffer; readonly isSplit: boolean } {
    const row = this.#firstBlock.get(directory);
    if (!row) throw catalogDamage('directory');
    const [entries, split, sum] = row;
    if (sumOfBlock(directory, FIRST, split, entries) !== sum) throw catalogDamage('entries');
    return { entries, isSplit: split === 1 };
  }

  /** @throws HoldfastError `home_damaged` */
  #storedBlock(directory: number, first: string): Buffer {
    const row = this.#block.get(directory, first);
    if (!row || sumOfBlock(directory, first, 1, row[0]) !== row[1]) throw catalogDamage('entries');
    return row[0];
  }

  #entriesAt(directory: number, first: string): { entries: readonly PackedEntry[]; isSplit: boolean } {
    const open = this.#open.get(directory);
    const block = open?.blocks.get(first);
    if (open && (block || open.isNew)) return { entries: block?.entries ?? [], isSplit: open.isSplit };
    if (first !== FIRST) return { entries: entriesOf(this.#storedBlock(directory, first)), isSplit: true };
    const { entries, isSplit } = this.#storedFirstBlock(directory);
    return { entries: entriesOf(entries), isSplit };
  }

  /** Returns the entries of the block that a name belongs to. */
  #entriesAround(directory: number, name: string): readonly PackedEntry[] {
    const open = this.#open.get(directory);
    if (open) return this.#entriesAt(directory, open.isSplit ? this.#firstOf(directory, name) : FIRST).entries;
    const { entries, isSplit } = this.#storedFirstBlock(directory);
    const first = isSplit ? this.#firstOf(directory, name) : FIRST;
    return first === FIRST ? entriesOf(entries) : this.#entriesAt(directory, first).entries;
  }

  /** Returns the lower bound of the block that a name belongs to. */
  #firstOf(directory: number, name: string): string {
    const open = this.#open.get(directory);
    const last = open?.last;
    if (last && compareNames(last.from, name) <= 0 && (last.to === undefined || compareNames(name, last.to) < 0)) {
      return last.from;
    }
    const from = this.#blockAt.get(directory, name) ?? FIRST;
    if (open) open.last = { from, to: this.#blockAfter.get(directory, from) };
    return from;
  }

  #openBlock(directory: number, name: string): OpenBlock {
    const open = this.#openDirectory(directory);
    const first = open.isSplit ? this.#firstOf(directory, name) : FIRST;
    let block = open.blocks.get(first);
    if (!block) {
      const stored = this.#storedBytes(directory, open.isNew, first);
      block = new OpenBlock(stored);
      this.#openBytes += stored?.length ?? 0;
      open.blocks.set(first, block);
    }
    return block;
  }

  #storedBytes(directory: number, isNew: boolean, first: string): Buffer | undefined {
    if (isNew) return undefined;
    return first === FIRST ? this.#storedFirstBlock(directory).entries : this.#storedBlock(directory, first);
  }

  #openDirectory(directory: number): OpenDirectory {
    const known = this.#open.get(directory);
    if (known) return known;
    const stored = this.#storedPlace(directory);
    if (!stored) throw catalogDamage('directory');
    const open: OpenDirectory = {
      ...stored,
      isNew: false,
      isMoved: false,
      blocks: new Map(),
      last: undefined,
    };
    this.#open.set(directory, open);
    return open;
  }

  #setPlace(directory: number, parent: number, name: string): void {
    const open = this.#openDirectory(directory);
    if (open.place.parent === parent && open.place.name === name) return;
    open.place = { setId: open.place.setId, parent, name };
    open.isMoved = true;
  }
}

function entryNamed(entries: readonly PackedEntry[], name: string): PackedEntry | undefined {
  const entry = entries[indexOfName(entries, name)];
  return entry?.name === name ? entry : undefined;
}

const EMPTY = Buffer.alloc(0);
