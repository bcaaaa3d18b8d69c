import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { comparePaths, nameOf, parentOf } from '../model/entry-path.ts';
import { PathNames } from '../format/crypto/path-names.ts';
import { isSafeName } from '../os/filesystem/names/entry-name.ts';
import type { RestoreSource } from '../model/restore-request.ts';
import { pieceAt, piecesOfFolder } from '../format/tree/piece-ranges.ts';
import type { TreeRecord } from '../format/tree/record.ts';
import { treeInvalid } from '../format/tree/tree-invalid.ts';
import { nameBases, type RestoreBase } from '../restore/plan/target-names.ts';
import { requestFiles } from '../read/source/manifest.ts';
import { findListedPoint } from '../read/source/restore-point.ts';
import { isDataFailure, openTree, readPieces, type OpenTree } from '../read/source/tree.ts';
import type { ReadDependencies } from '../read/types.ts';
import { RecentCache, type Weighed } from './recent-cache.ts';

/** Where a record is in a tree: its piece and its index in it, in the order of paths. */
export type Position = number;

/** More than a piece can have: a line has more than four bytes. */
const RECORDS_OF_PIECE = 2 ** 18;
/** More than a footer can list. */
export const MOST_POSITION = 2 ** 42;

export interface LocatedRecord {
  readonly position: Position;
  readonly record: TreeRecord;
}

/** A record of a folder, or a part of the tree that cannot be read and may have more. */
export type FolderItem = LocatedRecord | 'damaged';

interface Piece {
  readonly records: readonly TreeRecord[];
  /** Some of its lines were refused. */
  readonly isIncomplete: boolean;
}

interface OpenPoint {
  readonly tree: OpenTree;
  readonly bases: readonly RestoreBase[];
  readonly restorePoint: string;
}

/** Memory that all mounted restore points share, in bytes; each is an estimate. */
export class PointCaches {
  readonly points = new RecentCache<OpenPoint>(32 * 2 ** 20);
  readonly pieces = new RecentCache<Piece>(64 * 2 ** 20);
  /** Restore sessions of single files; each counts as one. */
  readonly sessions = new RecentCache<string>(4096);
  readonly #attributes = new Set<string>();

  /** Returns whether a file that was read so far has an attribute of the system with this name. */
  hasAttribute(name: string): boolean {
    return this.#attributes.has(name);
  }

  noteAttributes(records: readonly TreeRecord[]): void {
    for (const { xattrs } of records) {
      for (const name of Object.keys(xattrs ?? {})) {
        if (isOfSystem(name) && this.#attributes.size < MOST_ATTRIBUTES) this.#attributes.add(name);
      }
    }
  }
}

/** Returns whether an extended attribute belongs to the system, such as access lists and labels, instead of a person. */
export function isOfSystem(attribute: string): boolean {
  return attribute.startsWith('system.') || attribute.startsWith('security.');
}

/** Names of attributes that are remembered: the system itself has a dozen. */
const MOST_ATTRIBUTES = 1000;
/** Pieces that are fetched together when a folder is listed. */
const PIECES_AHEAD = 4;
const RECORD_BYTES = 700;

/** The tree of a restore point, read as far as it is asked for. */
export class MountedPoint {
  readonly #key: string;
  readonly #source: RestoreSource;
  readonly #deps: ReadDependencies;
  readonly #caches: PointCaches;
  readonly #signal: AbortSignal;

  /**
   * @param key different for each restore point that shares the caches
   * @param signal ends all requests
   */
  constructor(key: string, source: RestoreSource, deps: ReadDependencies, caches: PointCaches, signal: AbortSignal) {
    this.#key = key;
    this.#source = source;
    this.#deps = deps;
    this.#caches = caches;
    this.#signal = signal;
  }

  /** The set's roots with the names of their folders. */
  bases(): MaybePromise<readonly RestoreBase[]> {
    return whenReady(this.#open(), ({ bases }) => bases);
  }

  /** @throws HoldfastError `tree_invalid`, `chunk_*`, and what the service throws */
  at(position: Position): MaybePromise<TreeRecord | undefined> {
    return whenReady(
      this.#piece(Math.floor(position / RECORDS_OF_PIECE)),
      ({ records }) => records[position % RECORDS_OF_PIECE],
    );
  }

  /**
   * Returns the records of some positions, as far as they are in the piece of the first.
   *
   * @param to the last position
   */
  between(from: Position, to: Position): MaybePromise<readonly TreeRecord[]> {
    const start = from % RECORDS_OF_PIECE;
    return whenReady(this.#piece(Math.floor(from / RECORDS_OF_PIECE)), ({ records }) =>
      records.slice(start, start + to - from + 1),
    );
  }

  find(path: string): MaybePromise<LocatedRecord | undefined> {
    return whenReady(this.#open(), ({ tree }) => {
      const index = pieceAt(tree.footer.pieces, path);
      if (index < 0) return undefined;
      return whenReady(this.#piece(index), ({ records, isIncomplete }) => {
        const at = firstFrom(records, path);
        if (records[at]?.path === path) return { position: index * RECORDS_OF_PIECE + at, record: records[at] };
        if (isIncomplete) throw treeInvalid('record');
        return undefined;
      });
    });
  }

  /**
   * Passes the direct entries of a folder to `visit`, until that returns false: in the order of the tree, without names that no file
   * may have.
   */
  async children(folder: string, from: Position, visit: (item: FolderItem) => boolean): Promise<void> {
    const { tree } = await this.#open();
    const { pieces, roots } = tree.footer;
    const firstPiece = Math.floor(from / RECORDS_OF_PIECE);
    const indexes = [...piecesOfFolder(pieces, folder, [...roots, folder])].filter((index) => index >= firstPiece);
    for (const [number, index] of indexes.entries()) {
      let piece: Piece;
      try {
        piece = await this.#piece(index, indexes.slice(number, number + PIECES_AHEAD));
      } catch (error) {
        if (!isDataFailure(error)) throw error;
        if (!visit('damaged')) return;
        continue;
      }
      if (piece.isIncomplete && !visit('damaged')) return;
      const start = index === firstPiece ? from % RECORDS_OF_PIECE : 0;
      for (let at = start; at < piece.records.length; at += 1) {
        const record = piece.records[at]!;
        if (parentOf(record.path) !== folder || !isSafeName(nameOf(record.path))) continue;
        if (!visit({ position: index * RECORDS_OF_PIECE + at, record })) return;
      }
    }
  }

  /** Returns whether a file that was read so far, of any restore point, has an attribute of the system with this name. */
  hasAttribute(name: string): boolean {
    return this.#caches.hasAttribute(name);
  }

  /** Whether one restore session serves the chunks of all files. */
  get hasOneSession(): boolean {
    return this.#deps.service.manifests === 'none';
  }

  /** Opens the restore session that serves the chunks of a file. */
  async sessionOf(path: string): Promise<string> {
    const { service, keys } = this.#deps;
    const { tree, restorePoint } = await this.#open();
    if (this.hasOneSession) return tree.session;
    return await this.#caches.sessions.get(`${this.#key}:${path}`, async () => {
      let number: number | undefined;
      const request = {
        source: this.#source,
        restorePoint,
        prefixes: [path],
        service,
        names: new PathNames(keys.path),
        sealed: tree.footer.privateNames,
      };
      const receiver = {
        onFiles: (files: readonly { readonly session: number }[]) => (number ??= files[0]?.session),
        onRefused: () => undefined,
        onRestart: () => (number = undefined),
      };
      const sessions = await requestFiles(request, receiver, this.#signal);
      return { value: sessions[number ?? 0] ?? '', weight: 1 };
    });
  }

  /** Must be called after a session of a file failed: it may have expired. */
  forgetSession(path: string): void {
    this.#caches.sessions.delete(`${this.#key}:${path}`);
  }

  #open(): MaybePromise<OpenPoint> {
    return this.#caches.points.get(this.#key, async () => {
      const point = await findListedPoint(this.#source, this.#deps, this.#signal);
      const tree = await openTree(this.#source, point, this.#deps, this.#signal);
      const { pieces, roots } = tree.footer;
      const weight = 1000 + pieces.reduce((sum, piece) => sum + 200 + piece.firstPath.length * 2, 0);
      return { value: { tree, bases: nameBases(roots), restorePoint: point.restorePoint }, weight };
    });
  }

  /** @param ahead the piece itself and those that are needed next */
  #piece(index: number, ahead: readonly number[] = [index]): MaybePromise<Piece> {
    const { pieces } = this.#caches;
    return pieces.get(this.#pieceKey(index), () => {
      const missing = ahead.filter((each) => each === index || !pieces.has(this.#pieceKey(each)));
      const loads = new Map(missing.map((each) => [each, Promise.withResolvers<Weighed<Piece>>()]));
      for (const [each, { promise }] of loads) if (each !== index) void pieces.add(this.#pieceKey(each), promise);
      this.#load(loads).catch((error: unknown) => {
        for (const { reject } of loads.values()) reject(error);
        // Its session may have expired: the next request opens the tree anew.
        if (!isDataFailure(error)) this.#caches.points.delete(this.#key);
      });
      return loads.get(index)!.promise;
    });
  }

  async #load(loads: ReadonlyMap<number, PromiseWithResolvers<Weighed<Piece>>>): Promise<void> {
    const { tree } = await this.#open();
    for await (const outcome of readPieces(tree, loads.keys(), this.#deps, this.#signal)) {
      const { resolve, reject } = loads.get(outcome.index)!;
      if (outcome.error) {
        reject(outcome.error);
        continue;
      }
      const { records, refused } = outcome;
      this.#caches.noteAttributes(records);
      resolve({ value: { records, isIncomplete: refused.length > 0 }, weight: weightOf(records) });
    }
  }

  #pieceKey(index: number): string {
    return `${this.#key}:${index}`;
  }
}

function weightOf(records: readonly TreeRecord[]): number {
  let weight = RECORD_BYTES;
  for (const record of records) {
    weight += RECORD_BYTES + record.path.length * 2 + (record.type === 'file' ? record.chunks.length : 0);
    for (const value of Object.values(record.xattrs ?? {})) weight += RECORD_BYTES + value.length;
  }
  return weight;
}

/** Index of the first record that is not before a path. */
function firstFrom(records: readonly TreeRecord[], path: string): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePaths(records[middle]!.path, path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
