import { isWithin, nameOf, parentOf } from '../../../protocol/path.ts';
import { bytesOfSegment, segmentOfBytes } from '../../filesystem/entry-path.ts';
import {
  FuseError,
  ROOT_NODE,
  type FuseAttributes,
  type FuseEntry,
  type FuseFileSystem,
  type FuseFolderEntry,
  type FuseSpace,
  type NodeId,
} from '../../fuse/file-system.ts';
import type { TreeRecord } from '../../tree/record.ts';
import { isDataFailure } from '../source/tree.ts';
import type { MountedChild, MountedFolder, ReadablePoint } from './mounted-folder.ts';
import type { LocatedRecord } from './mounted-point.ts';
import { MOST_BASES, MOST_POINTS, inodeOfGroup, nodeOf, numberOf, type Numbered } from './node-numbers.ts';
import { untilAborted } from './recent-cache.ts';

/** What is in a restore point never changes. */
const FIXED_SECONDS = 24 * 60 * 60;
/** For how long the kernel believes a list of restore points. */
const LIST_SECONDS = 1;
/** Marks positions in a folder behind a part that cannot be read. */
const DAMAGED = 1n << 61n;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface Above {
  readonly child: MountedChild;
  readonly parent: number;
  /** Number of the restore point, if it is one. */
  readonly point: number | undefined;
}

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
  /** Folders, restore points and links by number; those of `#keys` are found again in later lists. */
  readonly #above: Above[] = [];
  readonly #keys = new Map<string, number>();
  readonly #points: ReadablePoint[] = [];
  readonly #pointNodes: number[] = [];

  /**
   * @param owner whom everything belongs to; that of each record by default
   * @param ownOwner whom the folders above belong to
   */
  constructor(root: MountedFolder, owner: Owner | undefined, ownOwner: Owner) {
    this.#owner = owner;
    this.#ownOwner = ownOwner;
    const content = { kind: 'folder', key: '', folder: root } as const;
    this.#above[Number(ROOT_NODE)] = {
      child: { name: '', modifiedNs: 0n, content },
      parent: Number(ROOT_NODE),
      point: undefined,
    };
  }

  async attributes(node: NodeId, signal: AbortSignal): Promise<FuseAttributes> {
    const numbered = nodeOf(node);
    switch (numbered.kind) {
      case 'above':
        return this.#attributesAbove(numbered.id);
      case 'base':
        return this.#folderAttributes(node, 0n, FIXED_SECONDS);
      case 'record':
        return this.#attributesOf(numbered, await this.#recordOf(numbered, signal));
    }
  }

  async lookup(folder: NodeId, name: Buffer, signal: AbortSignal): Promise<FuseEntry> {
    if (name.length > 255) throw new FuseError('ENAMETOOLONG');
    const segment = segmentOfBytes(name);
    const above = await this.#listed(folder, signal);
    if (above) {
      const found = above.find(({ child }) => child.name === segment);
      if (!found) throw new FuseError('ENOENT');
      return this.#entryAbove(found.id);
    }
    const { point, number, path } = await this.#placeOf(folder, signal);
    if (path === undefined) {
      const bases = await untilAborted(point.tree.bases(), signal);
      const whole = bases.find((base) => base.name === '');
      const index = bases.findIndex((base) => base.name === segment);
      const entry = index < 0 ? undefined : await this.#baseEntry(point, number, index, signal);
      if (entry) return entry;
      if (!whole) throw new FuseError('ENOENT');
      return await this.#recordEntry({ point, number, path: whole.path }, segment, signal);
    }
    return await this.#recordEntry({ point, number, path }, segment, signal);
  }

  async parent(folder: NodeId, signal: AbortSignal): Promise<NodeId> {
    const numbered = nodeOf(folder);
    if (numbered.kind === 'above') return BigInt(this.#above[numbered.id]?.parent ?? ROOT_NODE);
    const pointNode = BigInt(this.#pointNodes[numbered.point] ?? ROOT_NODE);
    if (numbered.kind === 'base') return pointNode;
    const { path } = await this.#recordOf(numbered, signal);
    const { tree } = this.#pointOf(numbered.point);
    const bases = await untilAborted(tree.bases(), signal);
    const above = parentOf(path);
    const index = bases.findIndex((base) => isWithin(above, base.path));
    if (index < 0 || bases.some((base) => base.path === path)) return pointNode;
    const found = await untilAborted(tree.find(above), signal);
    if (found) return numberOf({ kind: 'record', point: numbered.point, position: found.position });
    return bases[index]!.name === '' ? pointNode : numberOf({ kind: 'base', point: numbered.point, base: index });
  }

  async *entries(folder: NodeId, from: bigint, signal: AbortSignal): AsyncGenerator<FuseFolderEntry> {
    const above = await this.#listed(folder, signal);
    if (above) {
      for (const [index, { id, child }] of above.entries()) {
        if (BigInt(index) >= from) {
          yield { ...this.#entryAbove(id), name: bytesOfSegment(child.name), next: BigInt(index + 1) };
        }
      }
      return;
    }
    const place = await this.#placeOf(folder, signal);
    if (place.path !== undefined) {
      yield* this.#children(place, place.path, from, signal);
      return;
    }
    const bases = await untilAborted(place.point.tree.bases(), signal);
    if (bases[0]?.name === '') {
      yield* this.#children(place, bases[0].path, from, signal);
      return;
    }
    for (let index = Number(from); index < Math.min(bases.length, MOST_BASES); index += 1) {
      const entry = await this.#baseEntry(place.point, place.number, index, signal);
      if (entry) yield { ...entry, name: bytesOfSegment(bases[index]!.name), next: BigInt(index + 1) };
    }
  }

  isFixed(folder: NodeId): boolean {
    return nodeOf(folder).kind !== 'above';
  }

  async readLink(node: NodeId, signal: AbortSignal): Promise<Buffer> {
    const numbered = nodeOf(node);
    if (numbered.kind === 'above') {
      const content = this.#above[numbered.id]?.child.content;
      if (content?.kind === 'link') return Buffer.from(content.target);
    } else if (numbered.kind === 'record') {
      const record = await this.#recordOf(numbered, signal);
      // The kernel takes no longer target than a page.
      const target = record.type === 'symlink' ? bytesOfSegment(record.target) : undefined;
      if (target && target.length > 0 && target.length < 4096 && !target.includes(0)) return target;
      if (target) throw new FuseError('EIO');
    }
    throw new FuseError('EINVAL');
  }

  async read(node: NodeId, offset: number, size: number, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const numbered = nodeOf(node);
    if (numbered.kind !== 'record') throw new FuseError('EISDIR');
    const record = await this.#recordOf(numbered, signal);
    if (record.type !== 'file') throw new FuseError('EISDIR');
    const { tree, reader } = this.#pointOf(numbered.point);
    const file = { chunks: record.chunks, session: () => tree.sessionOf(record.path) };
    try {
      return await reader.read(file, offset, size, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isDataFailure(error)) throw error;
      // The session may have expired, or the connection was lost: once more with a new one.
      tree.forgetSession(record.path);
      return await reader.read(file, offset, size, signal);
    }
  }

  async attribute(node: NodeId, name: Buffer, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const xattrs = await this.#xattrsOf(node, signal);
    const segment = segmentOfBytes(name);
    return xattrs && Object.hasOwn(xattrs, segment) ? xattrs[segment] : undefined;
  }

  async attributeNames(node: NodeId, signal: AbortSignal): Promise<readonly Buffer[]> {
    const names = Object.keys((await this.#xattrsOf(node, signal)) ?? {}).map(bytesOfSegment);
    return names.filter((name) => name.length > 0 && name.length <= 255 && !name.includes(0));
  }

  space(): FuseSpace {
    return { bytes: 0, files: 0 };
  }

  async #xattrsOf(node: NodeId, signal: AbortSignal): Promise<TreeRecord['xattrs']> {
    const numbered = nodeOf(node);
    return numbered.kind === 'record' ? (await this.#recordOf(numbered, signal)).xattrs : undefined;
  }

  async #recordOf(node: Extract<Numbered, { kind: 'record' }>, signal: AbortSignal): Promise<TreeRecord> {
    const record = await untilAborted(this.#pointOf(node.point).tree.at(node.position), signal);
    if (!record) throw new FuseError('ENOENT');
    return record;
  }

  #pointOf(number: number): ReadablePoint {
    const point = this.#points[number];
    if (!point) throw new FuseError('ENOENT');
    return point;
  }

  /** @throws FuseError `ENOTDIR` for what is no folder */
  async #placeOf(folder: NodeId, signal: AbortSignal): Promise<Place> {
    const numbered = nodeOf(folder);
    if (numbered.kind === 'above') {
      const number = this.#above[numbered.id]?.point;
      if (number === undefined) throw new FuseError('ENOTDIR');
      return { point: this.#pointOf(number), number, path: undefined };
    }
    const { point: number } = numbered;
    const point = this.#pointOf(number);
    if (numbered.kind === 'base') {
      const bases = await untilAborted(point.tree.bases(), signal);
      const base = bases[numbered.base];
      if (!base) throw new FuseError('ENOENT');
      return { point, number, path: base.path };
    }
    const record = await this.#recordOf(numbered, signal);
    if (record.type !== 'directory') throw new FuseError('ENOTDIR');
    return { point, number, path: record.path };
  }

  /** Lists a folder above the restore points; `undefined` for others. */
  async #listed(
    folder: NodeId,
    signal: AbortSignal,
  ): Promise<readonly { readonly id: number; readonly child: MountedChild }[] | undefined> {
    const numbered = nodeOf(folder);
    if (numbered.kind !== 'above') return undefined;
    const content = this.#above[numbered.id]?.child.content;
    if (content?.kind !== 'folder') return undefined;
    const children = await untilAborted(content.folder.list(signal), signal);
    return children.map((child) => ({ id: this.#numberAbove(child, numbered.id), child }));
  }

  /** Returns the number of a child; the same for the same key. */
  #numberAbove(child: MountedChild, parent: number): number {
    const { content } = child;
    const key = content.kind === 'link' ? `${parent}/${child.name}` : content.key;
    const known = this.#keys.get(`${content.kind} ${key}`);
    const id = known ?? Math.max(this.#above.length, Number(ROOT_NODE) + 1);
    const before = known === undefined ? undefined : this.#above[known];
    let point = before?.point;
    if (content.kind === 'point' && point === undefined) {
      point = Math.max(this.#points.length, 1);
      if (point >= MOST_POINTS) throw new FuseError('EIO');
      this.#pointNodes[point] = id;
    }
    if (content.kind === 'point') this.#points[point!] = content.point;
    this.#keys.set(`${content.kind} ${key}`, id);
    this.#above[id] = { child, parent, point };
    return id;
  }

  #attributesAbove(id: number): FuseAttributes {
    const above = this.#above[id];
    if (!above) throw new FuseError('ENOENT');
    const { modifiedNs, content } = above.child;
    const attributes = this.#folderAttributes(BigInt(id), modifiedNs, LIST_SECONDS);
    if (content.kind !== 'link') return attributes;
    return { ...attributes, type: 'symlink', mode: 0o777, size: Buffer.byteLength(content.target) };
  }

  #folderAttributes(node: NodeId, modifiedNs: bigint, validSeconds: number): FuseAttributes {
    return {
      inode: node,
      type: 'directory',
      mode: 0o555,
      size: 0,
      isSparse: false,
      links: 1,
      ...this.#ownOwner,
      modifiedNs,
      validSeconds,
    };
  }

  #entryAbove(id: number): FuseEntry {
    return { node: BigInt(id), attributes: this.#attributesAbove(id), validSeconds: LIST_SECONDS };
  }

  /** Returns the entry of a root; `undefined` if it was not there at that time. */
  async #baseEntry(
    point: ReadablePoint,
    number: number,
    index: number,
    signal: AbortSignal,
  ): Promise<FuseEntry | undefined> {
    const { tree } = point;
    const base = (await untilAborted(tree.bases(), signal))[index]!;
    const found = await untilAborted(tree.find(base.path), signal);
    if (found) return this.#entryOf(number, found);
    const { done } = await untilAborted(tree.children(base.path, 0).next(), signal);
    if (done) return undefined;
    const node = numberOf({ kind: 'base', point: number, base: index });
    return { node, attributes: this.#folderAttributes(node, 0n, FIXED_SECONDS), validSeconds: FIXED_SECONDS };
  }

  async #recordEntry({ point, number, path }: Place, segment: string, signal: AbortSignal): Promise<FuseEntry> {
    const found = await untilAborted(point.tree.find(`${path}/${segment}`), signal);
    if (!found) throw new FuseError('ENOENT');
    return this.#entryOf(number, found);
  }

  async *#children(
    { point, number }: Place,
    path: string,
    from: bigint,
    signal: AbortSignal,
  ): AsyncGenerator<FuseFolderEntry> {
    let mark = from & DAMAGED;
    const items = point.tree.children(path, Number(from & (DAMAGED - 1n)));
    for (;;) {
      const next = await untilAborted(items.next(), signal);
      if (next.done) break;
      const item = next.value;
      if (item === 'damaged') {
        mark = DAMAGED;
        continue;
      }
      const name = bytesOfSegment(nameOf(item.record.path));
      yield { ...this.#entryOf(number, item), name, next: BigInt(item.position + 1) | mark };
    }
    // What can be read was listed; the list is not complete.
    if (mark !== 0n) throw new FuseError('EIO');
  }

  #entryOf(point: number, { position, record }: LocatedRecord): FuseEntry {
    const numbered = { kind: 'record', point, position } as const;
    return {
      node: numberOf(numbered),
      attributes: this.#attributesOf(numbered, record),
      validSeconds: FIXED_SECONDS,
    };
  }

  #attributesOf(node: Extract<Numbered, { kind: 'record' }>, record: TreeRecord): FuseAttributes {
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
