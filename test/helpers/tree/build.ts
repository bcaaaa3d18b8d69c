import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PYTHON } from '../debian-python.ts';
import { buildOnWindows } from './build-on-windows.ts';
import { directory, type Content, type DirectoryNode, type Tree, type TreeNode } from './nodes.ts';

/**
 * Creates `tree` in the folder `root`, which may exist, with Python's standard library: it sets times in nanoseconds,
 * creates FIFOs and sockets, accepts names in bytes, and shares no code with the tested program.
 */
export async function buildTree(root: string, tree: Tree | DirectoryNode): Promise<void> {
  const node = isDirectory(tree) ? tree : directory(tree);
  if (process.platform === 'win32') {
    buildOnWindows(root, node);
    return;
  }
  const child = spawn(PYTHON, [join(import.meta.dirname, 'build_tree.py'), root], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(JSON.stringify(encode(node)));
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (status !== 0) throw new Error(`build_tree.py: ${errors}`);
}

function isDirectory(tree: Tree | DirectoryNode): tree is DirectoryNode {
  return (tree as DirectoryNode).kind === 'directory';
}

/** Encoded for JSON: bytes in base64, nanoseconds as text. */
function encode(node: TreeNode): unknown {
  if (node.kind === 'hard-link' || node.kind === 'fifo' || node.kind === 'socket') return node;
  const encoded = node.mtimeNs === undefined ? node : { ...node, mtimeNs: node.mtimeNs.toString() };
  if (node.kind === 'symlink') return encoded;
  const xattrs = node.xattrs && mapValues(node.xattrs, base64);
  if (node.kind === 'file') return { ...encoded, xattrs, content: encodeContent(node.content) };
  return { ...encoded, xattrs, children: mapValues(node.children, encode) };
}

function encodeContent(content: Content): unknown {
  return typeof content === 'string' || content instanceof Uint8Array ? { base64: base64(content) } : content;
}

function base64(value: string | Uint8Array): string {
  return (
    typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.buffer, value.byteOffset, value.length)
  ).toString('base64');
}

function mapValues<Value>(object: Readonly<Record<string, Value>>, map: (value: Value) => unknown): unknown {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
