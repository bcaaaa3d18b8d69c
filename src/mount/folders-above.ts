import { bytesOfSegment } from '../os/filesystem/names/entry-path.ts';
import {
  FuseError,
  ROOT_NODE,
  type AddEntry,
  type FuseAttributes,
  type FuseEntry,
  type NodeId,
} from '../os/fuse/file-system.ts';
import type { MountedChild, MountedFolder, ReadablePoint } from './mounted-folder.ts';
import { MOST_POINTS, type Numbered } from './node-numbers.ts';
import { untilAborted } from './recent-cache.ts';

/** For how long the kernel believes a list of restore points. */
const LIST_SECONDS = 1;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

type NumberedAbove = Extract<Numbered, { kind: 'above' }>;

interface Above {
  readonly child: MountedChild;
  readonly parent: number;
  /** Number of the restore point, if it is one. */
  readonly point: number | undefined;
}

interface ChildAbove {
  readonly id: number;
  readonly child: MountedChild;
}

/** The folders above the restore points, which may change while they are mounted, and the numbers of the restore points. */
export class FoldersAbove {
  readonly #owner: Owner;
  /** Folders, restore points and links by number; those of `#keys` are found again in later lists. */
  readonly #above: Above[] = [];
  readonly #keys = new Map<string, number>();
  readonly #points: ReadablePoint[] = [];
  readonly #pointNodes: number[] = [];

  constructor(root: MountedFolder, owner: Owner) {
    this.#owner = owner;
    const content = { kind: 'folder', key: '', folder: root } as const;
    this.#above[Number(ROOT_NODE)] = {
      child: { name: '', modifiedNs: 0n, content },
      parent: Number(ROOT_NODE),
      point: undefined,
    };
  }

  /** @throws FuseError `ENOENT` */
  point(number: number): ReadablePoint {
    const point = this.#points[number];
    if (!point) throw new FuseError('ENOENT');
    return point;
  }

  /** Returns the node of a restore point. */
  nodeOfPoint(number: number): NodeId {
    return BigInt(this.#pointNodes[number] ?? ROOT_NODE);
  }

  /** Returns the number of the restore point that a node is; `undefined` for a folder or a link. */
  pointAt({ id }: NumberedAbove): number | undefined {
    return this.#above[id]?.point;
  }

  parent({ id }: NumberedAbove): NodeId {
    return BigInt(this.#above[id]?.parent ?? ROOT_NODE);
  }

  isFolder({ id }: NumberedAbove): boolean {
    return this.#above[id]?.child.content.kind === 'folder';
  }

  /** Returns the target of a link; `undefined` for anything else. */
  linkTarget({ id }: NumberedAbove): string | undefined {
    const content = this.#above[id]?.child.content;
    return content?.kind === 'link' ? content.target : undefined;
  }

  /** @throws FuseError `ENOTDIR` for what is no folder */
  async lookup(folder: NumberedAbove, name: string, signal: AbortSignal): Promise<FuseEntry | undefined> {
    const found = (await this.#list(folder, signal)).find(({ child }) => child.name === name);
    return found && this.#entry(found.id);
  }

  /** @throws FuseError `ENOTDIR` for what is no folder */
  async entries(folder: NumberedAbove, from: bigint, add: AddEntry, signal: AbortSignal): Promise<void> {
    const children = await this.#list(folder, signal);
    for (let index = Number(from); index < children.length; index += 1) {
      const { id, child } = children[index]!;
      if (!add({ ...this.#entry(id), name: bytesOfSegment(child.name), next: BigInt(index + 1) })) return;
    }
  }

  /** @throws FuseError `ENOENT` */
  attributes({ id }: NumberedAbove): FuseAttributes {
    const above = this.#above[id];
    if (!above) throw new FuseError('ENOENT');
    const { modifiedNs, content } = above.child;
    const attributes = folderAttributes(BigInt(id), this.#owner, { modifiedNs, validSeconds: LIST_SECONDS });
    if (content.kind !== 'link') return attributes;
    return { ...attributes, type: 'symlink', mode: 0o777, size: Buffer.byteLength(content.target) };
  }

  #entry(id: number): FuseEntry {
    return { node: BigInt(id), attributes: this.attributes({ kind: 'above', id }), validSeconds: LIST_SECONDS };
  }

  async #list({ id }: NumberedAbove, signal: AbortSignal): Promise<readonly ChildAbove[]> {
    const content = this.#above[id]?.child.content;
    if (content?.kind !== 'folder') throw new FuseError('ENOTDIR');
    const children = await untilAborted(content.folder.list(signal), signal);
    return children.map((child) => ({ id: this.#numberOf(child, id), child }));
  }

  /**
   * Returns the number of a child; the same for the same key. A link has another one for each target: the kernel keeps the target of a
   * link for as long as it knows the number.
   */
  #numberOf(child: MountedChild, parent: number): number {
    const { content } = child;
    const key = content.kind === 'link' ? `${parent}/${child.name}/${content.target}` : content.key;
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
}

/** Attributes of a folder that is not in a tree. */
export function folderAttributes(
  node: NodeId,
  owner: Owner,
  { modifiedNs, validSeconds }: Pick<FuseAttributes, 'modifiedNs' | 'validSeconds'>,
): FuseAttributes {
  return {
    inode: node,
    type: 'directory',
    mode: 0o555,
    size: 0,
    isSparse: false,
    links: 1,
    ...owner,
    modifiedNs,
    validSeconds,
  };
}
