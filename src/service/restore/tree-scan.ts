import { hasBackslashes } from '../../protocol/path.ts';
import { pathOfSortKey, pathSortKey, withoutTrailingSlash } from '../../model/entry-path.ts';
import type { StoredVersion, TreeStore } from '../backup/store/tree-store.ts';

/** Versions that are read at once. */
const PAGE = 1_000;

/** Replaces `/` in keys; every byte of a name is greater. */
const SEPARATOR = '\u0001';
/** A drive or a server. */
const WINDOWS_KEY = /^(?:[A-Za-z]:\\|\\\\)/;
/** Sorts after nearly everything in a folder, and before everything outside of it. */
const LAST = '\u{10ffff}';

export interface TreeSelection {
  readonly setNumber: number;
  readonly sequence: number;
  /** A directory prefix, or a file. */
  readonly path: string;
}

/** Reads a path and everything below it, in path order, a page at a time. */
export async function* scanTree(trees: TreeStore, selection: TreeSelection): AsyncGenerator<readonly StoredVersion[]> {
  const { prefix, inside } = rangeOf(selection.path);
  const { setNumber, sequence } = selection;
  if (prefix !== '') {
    const itself = await trees.find(setNumber, sequence, prefix);
    if (itself) yield [itself];
  }
  let after = inside;
  for (;;) {
    const read = await trees.range({ setNumber, sequence, after, limit: PAGE });
    const page = read.filter((version) => version.pathKey.startsWith(inside));
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.pathKey;
    // Lets other requests through.
    await new Promise(setImmediate);
  }
}

/** Reads the files directly in a directory, and passes on the names of its folders, without reading all that is below them. */
export async function* scanDirectory(
  trees: TreeStore,
  selection: TreeSelection,
  onDirectory: (path: string) => void,
): AsyncGenerator<readonly StoredVersion[]> {
  const { prefix, inside } = rangeOf(selection.path);
  const { setNumber, sequence } = selection;
  const itself = prefix === '' ? undefined : await trees.find(setNumber, sequence, prefix);
  if (itself) yield [itself];
  // At the root `C:/…` is beside `/…`, whose first segment is empty.
  let after = inside;
  for (;;) {
    const read = await trees.range({ setNumber, sequence, after, limit: PAGE });
    const page = read.filter((version) => version.pathKey.startsWith(inside));
    const files: StoredVersion[] = [];
    let skipTo = '';
    for (const version of page) {
      if (skipTo !== '' && version.pathKey.startsWith(skipTo)) continue;
      const folder = folderOf(version.pathKey, inside.length);
      if (folder === undefined) files.push(version);
      else {
        onDirectory(directoryOf(folder, version.pathKey));
        skipTo = folder + separatorOf(version.pathKey);
      }
    }
    if (files.length > 0) yield files;
    if (page.length < PAGE) return;
    const last = page.at(-1)!.pathKey;
    const jump = skipTo + LAST;
    after = skipTo !== '' && last.startsWith(skipTo) && !last.startsWith(jump) ? jump : last;
  }
}

/** Returns the key of a path, and the beginning of the keys of everything in it. */
function rangeOf(path: string): { readonly prefix: string; readonly inside: string } {
  const isWindows = hasBackslashes(path);
  const prefix = pathSortKey(isWindows ? path.replace(/(?<=[^\\])\\+$/, '') : withoutTrailingSlash(path));
  return { prefix, inside: prefix === '' ? '' : prefix + (isWindows ? '\\' : SEPARATOR) };
}

/** A drive keeps its `\\`: `C:` is our name of one. */
function directoryOf(folder: string, key: string): string {
  const path = pathOfSortKey(folder);
  return path.length === 2 && separatorOf(key) === '\\' ? `${path}\\` : path;
}

/** Other agents may send paths of Windows with `\\` between segments. */
function separatorOf(key: string): string {
  return WINDOWS_KEY.test(key) ? '\\' : SEPARATOR;
}

/** Returns the key of the direct subfolder that contains `key`; `undefined` if `key` itself is directly inside. */
function folderOf(key: string, from: number): string | undefined {
  const separator = separatorOf(key);
  // A leading separator is the root's own, or a server's.
  const lead = key.startsWith(SEPARATOR) ? SEPARATOR.length : key.startsWith('\\\\') ? 2 : 0;
  const end = key.indexOf(separator, from === 0 ? lead : from);
  return end === -1 ? undefined : key.slice(0, end);
}
