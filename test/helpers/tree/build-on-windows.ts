import { createCipheriv } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Content, DirectoryNode, SeededBytes, TreeNode } from './nodes.ts';

/** The counterpart of build_tree.py where there is no Python. Times have the precision of a double. */
export function buildOnWindows(root: string, node: DirectoryNode): void {
  const links: [path: string, of: string][] = [];
  build(root, node, links);
  for (const [path, of] of links) linkSync(join(root, of), path);
  setAttributes(root, node);
}

function build(path: string, node: TreeNode, links: [string, string][]): void {
  switch (node.kind) {
    case 'directory':
      mkdirSync(path, { recursive: true });
      for (const [name, child] of Object.entries(node.children)) build(join(path, name), child, links);
      return;
    case 'file':
      writeContent(path, node.content);
      return;
    case 'symlink':
      symlinkSync(node.target, path);
      return;
    case 'hard-link':
      links.push([path, node.of]);
      return;
    case 'fifo':
    case 'socket':
      throw new Error(`Windows has no ${node.kind} in a folder`);
  }
}

function writeContent(path: string, content: Content): void {
  if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(path, content);
  else if ('seed' in content) writeFileSync(path, seededBytes(content));
  else {
    writeFileSync(path, '');
    truncateSync(path, content.sparseSize);
    for (const [offset, text] of Object.entries(content.data)) writeAt(path, Number(offset), text);
  }
}

/** The key stream of AES: as many bytes as are needed, in no time. */
function seededBytes({ seed, size }: SeededBytes): Buffer {
  const key = Buffer.alloc(16);
  key.writeDoubleLE(seed);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

function writeAt(path: string, offset: number, text: string): void {
  const file = openSync(path, 'r+');
  try {
    writeSync(file, text, offset);
  } finally {
    closeSync(file);
  }
}

/** Children before their folder, since each new name changes the folder's time. */
function setAttributes(path: string, node: TreeNode): void {
  if (node.kind === 'directory') {
    for (const [name, child] of Object.entries(node.children)) setAttributes(join(path, name), child);
  }
  if (node.kind === 'hard-link' || node.kind === 'fifo' || node.kind === 'socket') return;
  if (node.kind === 'file' && node.xattrs) throw new Error('Windows has no extended attributes');
  const time = node.mtimeNs === undefined ? undefined : Number(node.mtimeNs) / 1e9;
  if (time !== undefined) lutimesSync(path, time, time);
  if (node.kind === 'file' && node.mode !== undefined) chmodSync(path, node.mode);
}
