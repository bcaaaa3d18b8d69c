import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import { isWithin, nameOf, parentOf } from '../model/entry-path.ts';
import { bytesOfSegment, segmentOfBytes } from '../os/filesystem/names/entry-path.ts';
import {
  FuseError,
  type AddEntry,
  type FuseAttribute,
  type FuseAttributes,
  type FuseEntry,
  type FuseFileSystem,
  type FuseSpace,
  type NodeId,
} from '../os/fuse/file-system.ts';
import type { TreeRecord } from '../format/tree/record.ts';
import { isDataFailure } from '../read/source/tree.ts';
import { folderAttributes, FoldersAbove, type Owner } from './folders-above.ts';
import type { MountedFolder, ReadablePoint } from './mounted-folder.ts';
import { isOfSystem, type FolderItem, type LocatedRecord } from './mounted-point.ts';
import { MOST_BASES, inodeOfGroup, nodeOf, numberOf, type Numbered } from './node-numbers.ts';
import { ReadOrder } from './read-order.ts';
import { untilAborted } from './recent-cache.ts';
import { KIB } from '../model/units.ts';

/** What is in a restore point never changes. */
const FIXED_SECONDS = 24 * 60 * 60;
/** Marks positions in a folder behind a part that cannot be read. */
const DAMAGED = 1n << 61n;

/** Files up to this size are fetched together with those that follow. */
const SMALL_BYTES = 64 * KIB;
/** Positions, with those of folders and larger files. */
const FILES_AHEAD = 64;

type NumberedRecord = Extract<Numbered, { kind: 'record' }>;

/** A folder of a restore point. */
interface Place {
  readonly point: ReadablePoint;
  readonly number: number;
  /** Entry path; `undefined` for the restore point itself, which contains the roots. */
  readonly path: string | undefined;
}

/** Restore points as a read-only file system. */
export class MountedFileSystem implements FuseFileSystem {
  readonly #owner: Owner | undefined;
  readonly #ownOwner: Owner;
  readonly #above: FoldersAbove;
  readonly #order = new ReadOrder();

  /**
   * @param owner whom everything belongs to; that of each record by default
   * @param ownOwner whom the folders above belong to
   */
  constructor(root: MountedFolder, owner: Owner | undefined, ownOwner: Owner) {
    this.#owner = owner;
    this.#ownOwner = ownOwner;
    this.#above = new FoldersAbove(root, ownOwner);
  }

  attributes(node: NodeId, signal: AbortSignal): MaybePromise<FuseAttributes> {
    const numbered = nodeOf(node);
    switch (numbered.kind) {
      case 'above':
        return this.#above.attributes(numbered);
      case 'base':
        return this.#attributesOfBase(node);
      case 'record':
        return whenReady(this.#recordOf(numbered, signal), (record) => this.#attributesOf(numbered, record));
    }
  }

  lookup(folder: NodeId, name: Buffer, signal: AbortSignal): MaybePromise<FuseEntry | undefined> {
    if (name.length > 255) throw new FuseError('ENAMETOOLONG');
    const segment = segmentOfBytes(name);
    const numbered = nodeOf(folder);
    if (this.#isAbovePoints(numbered)) return this.#above.lookup(numbered, segment, signal);
    return whenReady(this.#placeOf(numbered, signal), (place) =>
      place.path === undefined
        ? this.#lookupInPoint(place, segment, signal)
        : this.#recordEntry(place, place.path, segment, signal),
    );
  }

  async #lookupInPoint(place: Place, segment: string, signal: AbortSignal): Promise<FuseEntry | undefined> {
    const bases = await untilAborted(place.point.tree.bases(), signal);
    const whole = bases.find((base) => base.name === '');
    const index = bases.findIndex((base) => base.name === segment);
    const entry = index < 0 ? undefined : await this.#baseEntry(place, index, signal);
    if (entry) return entry;
    return whole && (await this.#recordEntry(place, whole.path, segment, signal));
  }

  async parent(folder: NodeId, signal: AbortSignal): Promise<NodeId> {
    const numbered = nodeOf(folder);
    if (numbered.kind === 'above') return this.#above.parent(numbered);
    const pointNode = this.#above.nodeOfPoint(numbered.point);
    if (numbered.kind === 'base') return pointNode;
    const { path } = await this.#recordOf(numbered, signal);
    const { tree } = this.#above.point(numbered.point);
    const bases = await untilAborted(tree.bases(), signal);
    const above = parentOf(path);
    const index = bases.findIndex((base) => isWithin(above, base.path));
    if (index < 0 || bases.some((base) => base.path === path)) return pointNode;
    const found = await untilAborted(tree.find(above), signal);
    if (found) return numberOf({ kind: 'record', point: numbered.point, position: found.position });
    return bases[index]!.name === '' ? pointNode : numberOf({ kind: 'base', point: numbered.point, base: index });
  }

  async entries(folder: NodeId, from: bigint, add: AddEntry, signal: AbortSignal): Promise<void> {
    const numbered = nodeOf(folder);
    if (this.#isAbovePoints(numbered)) return await this.#above.entries(numbered, from, add, signal);
    const place = await this.#placeOf(numbered, signal);
    if (place.path !== undefined) return await this.#children(place, place.path, from, add, signal);
    const bases = await untilAborted(place.point.tree.bases(), signal);
    if (bases[0]?.name === '') return await this.#children(place, bases[0].path, from, add, signal);
    for (let index = Number(from); index < Math.min(bases.length, MOST_BASES); index += 1) {
      const entry = await this.#baseEntry(place, index, signal);
      const name = bytesOfSegment(bases[index]!.name);
      if (entry && !add({ ...entry, name, next: BigInt(index + 1) })) return;
    }
  }

  isFixed(folder: NodeId): boolean {
    return nodeOf(folder).kind !== 'above';
  }

  async readLink(node: NodeId, signal: AbortSignal): Promise<Buffer> {
    const numbered = nodeOf(node);
    if (numbered.kind === 'above') {
      const target = this.#above.linkTarget(numbered);
      if (target !== undefined) return Buffer.from(target);
    } else if (numbered.kind === 'record') {
      const record = await this.#recordOf(numbered, signal);
      // The kernel takes no longer target than a page.
      const target = record.type === 'symlink' ? bytesOfSegment(record.target) : undefined;
      if (target && target.length > 0 && target.length < 4096 && !target.includes(0)) return target;
      if (target) throw new FuseError('EIO');
    }
    throw new FuseError('EINVAL');
  }

  read(node: NodeId, offset: number, size: number, signal: AbortSignal): MaybePromise<readonly Uint8Array[]> {
    const numbered = nodeOf(node);
    if (numbered.kind !== 'record') throw new FuseError('EISDIR');
    const { tree, reader } = this.#above.point(numbered.point);
    return whenReady(this.#recordOf(numbered, signal), (record) => {
      if (record.type !== 'file') throw new FuseError('EISDIR');
      const file = { chunks: record.chunks, session: () => tree.sessionOf(record.path) };
      const parts = reader.read(file, offset, size, signal);
      if (offset === 0 && record.size <= SMALL_BYTES) this.#fetchNeighbours(numbered);
      if (!(parts instanceof Promise)) return parts;
      return parts.catch((error: unknown) => {
        signal.throwIfAborted();
        if (isDataFailure(error)) throw error;
        // The session may have expired, or the connection was lost: once more with a new one.
        tree.forgetSession(record.path);
        return reader.read(file, offset, size, signal);
      });
    });
  }

  /** Small files that are read one after the other are fetched together: each of them alone is a request. */
  #fetchNeighbours({ point, position }: NumberedRecord): void {
    const { tree, reader } = this.#above.point(point);
    if (!tree.hasOneSession) return;
    const next = this.#order.next(point, position, FILES_AHEAD);
    if (!next) return;
    const reading = whenReady(tree.between(next.from, next.to), (records) => {
      const files = records.filter((record) => record.type === 'file' && record.size <= SMALL_BYTES);
      const [first] = files;
      if (!first) return;
      reader.fetchAhead(
        () => tree.sessionOf(first.path),
        files.flatMap((file) => (file.type === 'file' ? [file.chunks] : [])),
      );
    });
    // The piece that has them may have been evicted; whoever reads them reports why it cannot be read.
    if (reading instanceof Promise) reading.catch(() => undefined);
  }

  /**
   * `ls` asks for the access list and the label of each file, which is most of what it asks for. It stops for attributes that are
   * unsupported; those of the system are, until a file that was read has one.
   */
  attribute(node: NodeId, name: Buffer, signal: AbortSignal): MaybePromise<FuseAttribute> {
    const numbered = nodeOf(node);
    if (numbered.kind !== 'record') return 'absent';
    const { tree } = this.#above.point(numbered.point);
    return whenReady(this.#recordOf(numbered, signal), ({ xattrs }) => {
      const segment = segmentOfBytes(name);
      if (xattrs && Object.hasOwn(xattrs, segment)) return xattrs[segment]!;
      return isOfSystem(segment) && !tree.hasAttribute(segment) ? 'unsupported' : 'absent';
    });
  }

  attributeNames(node: NodeId, signal: AbortSignal): MaybePromise<readonly Buffer[]> {
    const numbered = nodeOf(node);
    if (numbered.kind !== 'record') return [];
    return whenReady(this.#recordOf(numbered, signal), ({ xattrs }) => {
      const names = Object.keys(xattrs ?? {}).map(bytesOfSegment);
      return names.filter((name) => name.length > 0 && name.length <= 255 && !name.includes(0));
    });
  }

  space(): FuseSpace {
    return { bytes: 0, files: 0 };
  }

  #recordOf(node: NumberedRecord, signal: AbortSignal): MaybePromise<TreeRecord> {
    return whenReady(untilAborted(this.#above.point(node.point).tree.at(node.position), signal), (record) => {
      if (!record) throw new FuseError('ENOENT');
      return record;
    });
  }

  #isAbovePoints(node: Numbered): node is Extract<Numbered, { kind: 'above' }> {
    return node.kind === 'above' && this.#above.isFolder(node);
  }

  /** @throws FuseError `ENOTDIR` for what is no folder */
  #placeOf(numbered: Numbered, signal: AbortSignal): MaybePromise<Place> {
    if (numbered.kind === 'above') {
      const number = this.#above.pointAt(numbered);
      if (number === undefined) throw new FuseError('ENOTDIR');
      return { point: this.#above.point(number), number, path: undefined };
    }
    const { point: number } = numbered;
    const point = this.#above.point(number);
    if (numbered.kind === 'base') {
      return whenReady(untilAborted(point.tree.bases(), signal), (bases) => {
        const base = bases[numbered.base];
        if (!base) throw new FuseError('ENOENT');
        return { point, number, path: base.path };
      });
    }
    return whenReady(this.#recordOf(numbered, signal), (record) => {
      if (record.type !== 'directory') throw new FuseError('ENOTDIR');
      return { point, number, path: record.path };
    });
  }

  /** Returns the entry of a root; `undefined` if it was not there at that time. */
  async #baseEntry({ point, number }: Place, index: number, signal: AbortSignal): Promise<FuseEntry | undefined> {
    const { tree } = point;
    const base = (await untilAborted(tree.bases(), signal))[index]!;
    const found = await untilAborted(tree.find(base.path), signal);
    if (found) return this.#entryOf(number, found);
    let isThere = false;
    const visit = (): boolean => {
      isThere = true;
      return false;
    };
    await untilAborted(tree.children(base.path, 0, visit), signal);
    if (!isThere) return undefined;
    const node = numberOf({ kind: 'base', point: number, base: index });
    return { node, attributes: this.#attributesOfBase(node), validSeconds: FIXED_SECONDS };
  }

  #attributesOfBase(node: NodeId): FuseAttributes {
    return folderAttributes(node, this.#ownOwner, { modifiedNs: 0n, validSeconds: FIXED_SECONDS });
  }

  #recordEntry(
    { point, number }: Place,
    folder: string,
    segment: string,
    signal: AbortSignal,
  ): MaybePromise<FuseEntry | undefined> {
    const finding = untilAborted(point.tree.find(`${folder}/${segment}`), signal);
    return whenReady(finding, (found) => found && this.#entryOf(number, found));
  }

  async #children(
    { point, number }: Place,
    path: string,
    from: bigint,
    add: AddEntry,
    signal: AbortSignal,
  ): Promise<void> {
    let mark = from & DAMAGED;
    let isFull = false;
    const visit = (item: FolderItem): boolean => {
      // Nobody waits for it any more.
      if (signal.aborted) return false;
      if (item === 'damaged') {
        mark = DAMAGED;
        return true;
      }
      const name = bytesOfSegment(nameOf(item.record.path));
      isFull = !add({ ...this.#entryOf(number, item), name, next: BigInt(item.position + 1) | mark });
      return !isFull;
    };
    await untilAborted(point.tree.children(path, Number(from & (DAMAGED - 1n)), visit), signal);
    // What can be read was listed; the list is not complete.
    if (mark !== 0n && !isFull) throw new FuseError('EIO');
  }

  #entryOf(point: number, { position, record }: LocatedRecord): FuseEntry {
    const numbered = { kind: 'record', point, position } as const;
    return {
      node: numberOf(numbered),
      attributes: this.#attributesOf(numbered, record),
      validSeconds: FIXED_SECONDS,
    };
  }

  #attributesOf(node: NumberedRecord, record: TreeRecord): FuseAttributes {
    const group = record.type === 'file' ? record.hardLinkGroup : undefined;
    const { uid, gid } = this.#owner ?? record;
    return {
      inode: group === undefined ? numberOf(node) : inodeOfGroup(node.point, group),
      type: record.type,
      mode: record.mode,
      size: record.type === 'file' ? record.size : record.type === 'symlink' ? bytesOfSegment(record.target).length : 0,
      isSparse: record.type === 'file' && record.sparse,
      links: group === undefined ? 1 : 2,
      uid,
      gid,
      modifiedNs: record.mtimeNs,
      validSeconds: FIXED_SECONDS,
    };
  }
}
