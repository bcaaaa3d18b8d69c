import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Image, ROOT, type Operation } from './disk.ts';
import { descriptorsIn, numberAt, stringsIn, type SystemCall } from './system-calls.ts';

/** Shared memory of SQLite, which is built anew after a power loss. */
function isOfMemory(path: string): boolean {
  return path.endsWith('-shm');
}

/** Converts the calls of programs into operations on the files below a folder. */
export class OperationLog {
  readonly root: string;
  readonly operations: Operation[] = [];
  /** What was there before the first operation. */
  readonly base: Image;
  /** What is there after the last one, if nothing is lost. */
  #now: Image;
  readonly #isFolder = new Set<number>([ROOT]);
  #nodes = ROOT;
  /** Positions of files that are open, by descriptor and number of the file. */
  readonly #positions = new Map<string, number>();

  constructor(root: string) {
    this.root = root;
    const times = new Map<number, number>();
    this.base = new Image(this.#isFolder, times);
    this.#read('', ROOT, times);
    this.#now = this.base.copy();
  }

  get now(): Image {
    return this.#now;
  }

  /** Appends the operations of one command. */
  append(calls: readonly SystemCall[]): void {
    const before = this.operations.length;
    const ends: number[] = [];
    for (const call of calls) {
      const countUntil = (line: number): number => before + ends.filter((end) => end < line).length;
      for (const operation of this.#operationsOf(call, countUntil)) {
        this.#push(operation);
        ends.push(call.ended);
      }
    }
  }

  /** Forgets the operations from a number on, as if the process had been killed before them. */
  cut(count: number): void {
    const kept = this.operations.splice(0).slice(0, count);
    this.#now = this.base.copy();
    for (const operation of kept) this.#push(operation);
  }

  #push(operation: Operation): void {
    this.operations.push(operation);
    if (operation.kind !== 'sync' && operation.kind !== 'printed') this.#now.apply(operation, 'kept');
  }

  #read(path: string, folder: number, times: Map<number, number>): void {
    for (const name of readdirSync(join(this.root, path))) {
      if (isOfMemory(name)) continue;
      const full = join(this.root, path, name);
      const found = lstatSync(full);
      const node = this.#newNode(found.isDirectory());
      this.base.apply({ kind: 'name', node, folder, name }, 'kept');
      if (found.isDirectory()) this.#read(join(path, name), node, times);
      else {
        this.base.bytes.set(node, readFileSync(full));
        times.set(node, found.mtimeMs);
      }
    }
  }

  #newNode(isFolder: boolean): number {
    this.#nodes += 1;
    if (isFolder) this.#isFolder.add(this.#nodes);
    return this.#nodes;
  }

  #operationsOf(call: SystemCall, countUntil: (line: number) => number): readonly Operation[] {
    const { name, arguments: words, result } = call;
    switch (name) {
      case 'open':
      case 'creat':
      case 'openat':
        return this.#opened(call);
      case 'write':
        return this.#written(words, result, undefined);
      case 'writev':
        return this.#written(words, result, undefined);
      case 'pwrite64':
      case 'pwritev':
        return this.#written(words, result, numberAt(words, -1));
      case 'ftruncate': {
        const node = this.#descriptor(words);
        return node === undefined ? [] : [{ kind: 'truncate', node, length: numberAt(words, -1) }];
      }
      case 'mkdir':
      case 'mkdirat': {
        const place = this.#places(words)[0];
        return place ? [{ kind: 'name', node: this.#newNode(true), ...place }] : [];
      }
      case 'link':
      case 'linkat': {
        const [from, to] = this.#places(words);
        return from && to ? [{ kind: 'name', node: this.#nodeAt(from), ...to }] : [];
      }
      case 'unlink':
      case 'unlinkat':
      case 'rmdir': {
        const place = this.#places(words)[0];
        return place ? [{ kind: 'unname', node: this.#nodeAt(place), ...place }] : [];
      }
      case 'rename':
      case 'renameat':
      case 'renameat2':
        return this.#renamed(words);
      case 'fsync':
      case 'fdatasync': {
        const node = this.#descriptor(words);
        return node === undefined ? [] : [{ kind: 'sync', node, until: countUntil(call.begun) }];
      }
      case 'syncfs':
      case 'sync':
        return [{ kind: 'sync', node: undefined, until: countUntil(call.begun) }];
      case 'sync_file_range':
        // A hint: neither the size nor the disk's cache is covered.
        return [];
      case 'fallocate':
        if (this.#descriptor(words) === undefined || words.includes('FALLOC_FL_KEEP_SIZE')) return [];
    }
    if (this.#concerns(words)) throw new Error(`strace: ${name} is not known here`);
    return [];
  }

  #opened({ arguments: words, opened }: SystemCall): Operation[] {
    const place = opened && this.#placeOf(opened.path);
    if (!place) return [];
    const found = this.#now.names.get(place.folder)?.get(place.name);
    if (words.includes('O_TMPFILE') || words.includes('O_APPEND')) throw new Error(`strace: open of ${opened.path}`);
    const node = found ?? this.#newNode(false);
    this.#positions.set(`${opened.number} ${node}`, 0);
    if (found === undefined) return [{ kind: 'name', node, ...place }];
    return words.includes('O_TRUNC') ? [{ kind: 'truncate', node, length: 0 }] : [];
  }

  #written(words: string, length: number, offset: number | undefined): Operation[] {
    const [descriptor] = descriptorsIn(words);
    const bytes = Buffer.concat(stringsIn(words)).subarray(0, length);
    // Every command is run with `--json`.
    if (descriptor?.number === 1 && bytes[0] === '{'.codePointAt(0)) return [{ kind: 'printed' }];
    const node = this.#descriptor(words);
    if (!descriptor || node === undefined || length === 0) return [];
    const key = `${descriptor.number} ${node}`;
    const start = offset ?? this.#positions.get(key);
    if (start === undefined) throw new Error(`strace: a write to ${descriptor.path} at an unknown position`);
    if (offset === undefined) this.#positions.set(key, start + length);
    return [{ kind: 'write', node, offset: start, bytes }];
  }

  #renamed(words: string): Operation[] {
    if (words.includes('RENAME_EXCHANGE')) throw new Error('strace: an exchange');
    const [from, to] = this.#places(words);
    if (!from || !to) return [];
    return [{ kind: 'rename', node: this.#nodeAt(from), ...from, toFolder: to.folder, toName: to.name }];
  }

  #descriptor(words: string): number | undefined {
    const [descriptor] = descriptorsIn(words);
    const path = descriptor && this.#relative(descriptor.path);
    return path === undefined ? undefined : this.#now.find(path);
  }

  /** The places of paths among the arguments. Programs use absolute paths, or names relative to a descriptor. */
  #places(words: string) {
    const folders = descriptorsIn(words);
    return stringsIn(words).map((bytes, index) => {
      const text = bytes.toString();
      return this.#placeOf(text.startsWith('/') ? text : join(folders[index]?.path ?? folders[0]?.path ?? '', text));
    });
  }

  #placeOf(path: string): { readonly folder: number; readonly name: string } | undefined {
    const relative = this.#relative(path);
    if (relative === undefined || relative === '') return undefined;
    const names = relative.split('/').filter((name) => name !== '');
    const name = names.pop()!;
    const folder = this.#now.find(names.join('/'));
    return folder === undefined ? undefined : { folder, name };
  }

  #nodeAt({ folder, name }: { readonly folder: number; readonly name: string }): number {
    const node = this.#now.names.get(folder)?.get(name);
    if (node === undefined) throw new Error(`strace: nobody has created ${name}`);
    return node;
  }

  /** Returns `undefined` for paths elsewhere. */
  #relative(path: string): string | undefined {
    if (isOfMemory(path)) return undefined;
    if (path === this.root) return '';
    return path.startsWith(`${this.root}/`) ? path.slice(this.root.length + 1) : undefined;
  }

  #concerns(words: string): boolean {
    const paths = [...descriptorsIn(words).map(({ path }) => path), ...stringsIn(words).map(String)];
    return paths.some((path) => this.#relative(path) !== undefined);
  }
}
