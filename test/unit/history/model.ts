import { createHash } from 'node:crypto';
import { comparePaths } from '../../../src/model/entry-path.ts';
import type { TreeOfPoint } from '../../../src/history/file-history.ts';
import type { ListedPiece, TreeRecord } from '../../../src/format/tree/record.ts';
import type { Random } from '../../helpers/random.ts';

/** The entries of a restore point by their paths. */
export type Tree = ReadonlyMap<string, TreeRecord>;

export const ROOT = '/home/anna';

const COMMON = { mode: 0o644, birthtimeNs: undefined, uid: 0, gid: 0, xattrs: undefined };

export function file(path: string, content: string, modified = 0): TreeRecord {
  const chunks =
    content === '' ? Buffer.alloc(0) : Buffer.concat([digestOf(content), Buffer.from([0, 0, 0, content.length])]);
  const mtimeNs = BigInt(modified) * 1_000_000n;
  return {
    type: 'file',
    path,
    size: content.length,
    chunks,
    hardLinkGroup: undefined,
    sparse: false,
    ...COMMON,
    mtimeNs,
  };
}

export function folder(path: string, modified = 0): TreeRecord {
  return { type: 'directory', path, ...COMMON, mtimeNs: BigInt(modified) * 1_000_000n };
}

export function link(path: string, target: string): TreeRecord {
  return { type: 'symlink', path, target, ...COMMON, mtimeNs: 0n };
}

export function treeOf(...records: readonly TreeRecord[]): Tree {
  return new Map(records.map((record) => [record.path, record]));
}

/** The restore point that has a tree. Its pieces end where their paths alone decide, as in a real one. */
export function pointOf(
  time: number,
  tree: Tree,
  read: (index: number) => void = () => undefined,
  made = time,
): TreeOfPoint {
  const records = [...tree.values()].toSorted((a, b) => comparePaths(a.path, b.path));
  const groups: TreeRecord[][] = [];
  let open: TreeRecord[] = [];
  for (const record of records) {
    open.push(record);
    if (digestOf(record.path)[0]! >= 80) continue;
    groups.push(open);
    open = [];
  }
  if (open.length > 0) groups.push(open);
  const pieces = groups.map((group): ListedPiece => {
    const text = JSON.stringify(group, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    return {
      chunks: Buffer.concat([digestOf(text), Buffer.from([0, 0, 1, 0])]),
      records: group.length,
      firstPath: group[0]!.path,
    };
  });
  return {
    time,
    made,
    backupId: `backup-${time}`,
    footer: { pieces, roots: [ROOT] },
    read: (index) => {
      read(index);
      return groups[index]!;
    },
  };
}

/** Makes a tree at random. Few names, so that entries come back, and folders replace files. */
export function randomTree(random: Random): Tree {
  const tree = new Map<string, TreeRecord>();
  const names = ['a', 'B', 'b b', 'é', '\u{10000}', '\uE000', '\u0001', 'z'];
  const fill = (path: string, depth: number): void => {
    tree.set(path, folder(path, random.below(2)));
    for (const name of names) {
      const child = `${path}/${name}`;
      const choice = random.below(10);
      if (choice < 3 && depth < 3) fill(child, depth + 1);
      else if (choice < 6) tree.set(child, file(child, 'x'.repeat(random.below(3)), random.below(2)));
      else if (choice < 7) tree.set(child, link(child, `to ${random.below(2)}`));
    }
  };
  fill(ROOT, 0);
  return tree;
}

/** Changes some entries of a tree at random. */
export function changedTree(random: Random, before: Tree): Tree {
  const tree = new Map(before);
  for (let changes = random.below(6); changes > 0; changes -= 1) {
    const paths = [...tree.keys()].filter((path) => path !== ROOT);
    const path = paths[random.below(Math.max(1, paths.length))];
    if (path === undefined) break;
    const record = tree.get(path)!;
    if (random.below(2) === 0) {
      for (const other of paths) if (other === path || other.startsWith(`${path}/`)) tree.delete(other);
    } else if (record.type === 'directory') {
      const child = `${path}/new-${random.below(5)}`;
      tree.set(child, file(child, 'new'));
    } else tree.set(path, file(path, 'y'.repeat(random.below(4)), random.below(2)));
  }
  return tree;
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
