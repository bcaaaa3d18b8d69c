import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash, hash } from 'node:crypto';

/** A change of a name or of a file's bytes, or a call that makes changes durable. Files and folders have numbers, as inodes. */
export type Operation =
  | { readonly kind: 'name'; readonly node: number; readonly folder: number; readonly name: string }
  | { readonly kind: 'unname'; readonly node: number; readonly folder: number; readonly name: string }
  | {
      readonly kind: 'rename';
      readonly node: number;
      readonly folder: number;
      readonly name: string;
      readonly toFolder: number;
      readonly toName: string;
    }
  | { readonly kind: 'write'; readonly node: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly node: number; readonly length: number }
  /** Of a file: its bytes; of a folder: its names; without a node: everything. Covers the operations before `until`. */
  | { readonly kind: 'sync'; readonly node: number | undefined; readonly until: number }
  /** The command has printed its result. */
  | { readonly kind: 'printed' };

export type Change = Exclude<Operation, { kind: 'sync' | 'printed' }>;

/** What a power loss makes of a change. The later ones are of writes: a part of the bytes, or zeros in place of new bytes. */
export type Fate = 'kept' | 'lost' | 'half' | 'sectors' | 'pages' | 'zeros' | 'holes';

export const ROOT = 0;
const SECTOR = 512;
const PAGE = 4096;

/** Bytes that grow in place. What comes after the length is zeros. */
interface Growing {
  buffer: Buffer;
  length: number;
}

/** A state of files and folders. */
export class Image {
  readonly names: Map<number, Map<string, number>>;
  /** Files that other images may share. */
  readonly bytes: Map<number, Buffer>;
  /** Files that were changed since the last copy was made. */
  readonly #own = new Map<number, Growing>();
  readonly isFolder: ReadonlySet<number>;
  /** Milliseconds since the epoch; of files that are older than the log. */
  readonly times: ReadonlyMap<number, number>;

  constructor(isFolder: ReadonlySet<number>, times: ReadonlyMap<number, number> = new Map()) {
    this.names = new Map([[ROOT, new Map<string, number>()]]);
    this.bytes = new Map();
    this.isFolder = isFolder;
    this.times = times;
  }

  copy(): Image {
    for (const [node, { buffer, length }] of this.#own) this.bytes.set(node, buffer.subarray(0, length));
    this.#own.clear();
    const copy = new Image(this.isFolder, this.times);
    for (const [folder, names] of this.names) copy.names.set(folder, new Map(names));
    for (const [node, bytes] of this.bytes) copy.bytes.set(node, bytes);
    return copy;
  }

  apply(change: Change, fate: Fate): void {
    if (fate === 'lost') return;
    switch (change.kind) {
      case 'name':
        this.#namesIn(change.folder).set(change.name, change.node);
        break;
      case 'unname':
        this.#remove(change);
        break;
      case 'rename':
        this.#remove(change);
        this.#namesIn(change.toFolder).set(change.toName, change.node);
        break;
      case 'truncate':
        this.#resize(change.node, change.length);
        break;
      case 'write':
        this.#write(change.node, change.offset, change.bytes, fate);
        break;
    }
  }

  /** The number of a path below the root; `undefined` if it does not exist. */
  find(path: string): number | undefined {
    let node: number | undefined = ROOT;
    for (const name of path.split('/')) {
      if (name === '' || node === undefined) continue;
      node = this.names.get(node)?.get(name);
    }
    return node;
  }

  /** Yields the files and folders below a folder with their paths, sorted. */
  *walk(
    folder = ROOT,
    prefix = '',
  ): Generator<{ readonly path: string; readonly node: number; readonly bytes?: Buffer }> {
    const names = [...(this.names.get(folder) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [name, node] of names) {
      const path = prefix + name;
      if (this.isFolder.has(node)) {
        yield { path, node };
        yield* this.walk(node, `${path}/`);
      } else {
        yield { path, node, bytes: this.#bytesOf(node) };
      }
    }
  }

  /** Identifies the content of a folder. */
  fingerprint(path: string): string {
    const node = this.find(path);
    const all = createHash('sha1');
    if (node === undefined) return 'missing';
    for (const { path: name, bytes } of this.walk(node)) all.update(`${name}\n${bytes ? digestOf(bytes) : ''}\n`);
    return all.digest('hex');
  }

  /** Writes everything into an empty folder. */
  writeTo(directory: string): void {
    for (const { path, node, bytes } of this.walk()) {
      const target = join(directory, path);
      if (!bytes) mkdirSync(target, { mode: 0o700 });
      else writeFileSync(target, bytes, { mode: 0o600 });
      const time = bytes && this.times.get(node);
      if (time !== undefined) utimesSync(target, time / 1000, time / 1000);
    }
  }

  #namesIn(folder: number): Map<string, number> {
    let names = this.names.get(folder);
    if (!names) this.names.set(folder, (names = new Map()));
    return names;
  }

  #bytesOf(node: number): Buffer {
    const own = this.#own.get(node);
    return own ? own.buffer.subarray(0, own.length) : (this.bytes.get(node) ?? Buffer.alloc(0));
  }

  /** Returns a buffer of a file that may be written to, of this length or more. */
  #resize(node: number, length: number): Buffer {
    const before = this.#bytesOf(node);
    let own = this.#own.get(node);
    if (!own || own.buffer.length < length) {
      own = { buffer: Buffer.alloc(Math.max(length, before.length) * 2), length };
      before.copy(own.buffer);
      this.#own.set(node, own);
    }
    own.buffer.fill(0, length, Math.max(length, before.length));
    own.length = length;
    return own.buffer;
  }

  /** A name that an operation gave to another file meanwhile stays. */
  #remove({ folder, name, node }: { readonly folder: number; readonly name: string; readonly node: number }): void {
    const names = this.#namesIn(folder);
    if (names.get(name) === node) names.delete(name);
  }

  #write(node: number, offset: number, bytes: Buffer, fate: Fate): void {
    const before = this.#bytesOf(node).length;
    const kept = lengthThatIsKept(fate, offset, bytes.length);
    const isLong = kept === bytes.length || fate === 'zeros' || fate === 'holes';
    const end = offset + (isLong ? bytes.length : kept);
    const whole = this.#resize(node, Math.max(before, end));
    if (fate !== 'holes') {
      bytes.copy(whole, offset, 0, kept);
      return;
    }
    for (let page = Math.floor(offset / PAGE); page * PAGE < end; page += 2) {
      const from = Math.max(offset, page * PAGE);
      bytes.copy(whole, from, from - offset, Math.min(end, (page + 1) * PAGE) - offset);
    }
  }
}

function lengthThatIsKept(fate: Fate, offset: number, length: number): number {
  switch (fate) {
    case 'half':
      return length >> 1;
    case 'sectors':
      return untilBoundary(offset, length, SECTOR);
    case 'pages':
      return untilBoundary(offset, length, PAGE);
    case 'zeros':
    case 'lost':
      return 0;
    // Every other page.
    case 'holes':
    case 'kept':
      return length;
  }
}

/** The last boundary inside of a write, or half of it if there is none. */
function untilBoundary(offset: number, length: number, unit: number): number {
  const last = Math.floor((offset + length - 1) / unit) * unit - offset;
  return last > 0 ? last : length >> 1;
}

const digests = new WeakMap<Buffer, string>();

function digestOf(bytes: Buffer): string {
  let digest = digests.get(bytes);
  if (digest === undefined) digests.set(bytes, (digest = hash('sha1', bytes)));
  return digest;
}

interface Pending {
  readonly change: Change;
  readonly index: number;
  isDurable: boolean;
}

/**
 * A disk that is written. It distinguishes what a sync has made durable from what a power loss may undo, each change by itself: names
 * and bytes have no order, and a file's sync does not cover its name.
 */
export class Disk {
  readonly #durable: Image;
  #pending: Pending[] = [];
  #count = 0;

  /** @param durable what the disk holds before the first operation */
  constructor(durable: Image) {
    this.#durable = durable;
  }

  add(operation: Operation): void {
    const index = this.#count;
    this.#count += 1;
    if (operation.kind === 'printed') return;
    if (operation.kind !== 'sync') {
      this.#pending.push({ change: operation, index, isDurable: false });
      return;
    }
    const { node, until } = operation;
    for (const pending of this.#pending) {
      if (pending.index < until && (node === undefined || isCovered(pending.change, node))) pending.isDurable = true;
    }
    this.#settle();
  }

  /** Changes that a power loss may undo, oldest first. */
  get unsynced(): readonly Change[] {
    return this.#pending.filter(({ isDurable }) => !isDurable).map(({ change }) => change);
  }

  /** The state after a power loss. @param fateOf is called for each change of `unsynced`, in order */
  after(fateOf: (change: Change, index: number) => Fate): Image {
    const image = this.#durable.copy();
    let index = 0;
    for (const { change, isDurable } of this.#pending) {
      image.apply(change, isDurable ? 'kept' : fateOf(change, index));
      if (!isDurable) index += 1;
    }
    return image;
  }

  /** Applies durable changes for good, as far as no other change of the same file or folder comes before. */
  #settle(): void {
    const blocked = new Set<string>();
    this.#pending = this.#pending.filter(({ change, isDurable }) => {
      const parts = partsOf(change);
      if (isDurable && parts.every((part) => !blocked.has(part))) {
        this.#durable.apply(change, 'kept');
        return false;
      }
      for (const part of parts) blocked.add(part);
      return true;
    });
  }
}

/** A rename between folders is durable when either is synced: file systems with a journal do not lose a file. */
function isCovered(change: Change, node: number): boolean {
  return change.kind === 'rename'
    ? change.folder === node || change.toFolder === node
    : (change.kind === 'write' || change.kind === 'truncate' ? change.node : change.folder) === node;
}

function partsOf(change: Change): string[] {
  if (change.kind === 'write' || change.kind === 'truncate') return [`bytes ${change.node}`];
  return [`names ${change.folder}`, ...(change.kind === 'rename' ? [`names ${change.toFolder}`] : [])];
}
