import type { RestorePoint } from '../../protocol/extensions.ts';
import { comparePaths, isReservedPath, isWithin, parentOf, withoutTrailingSlash } from '../../protocol/path.ts';
import type { RestoreFileEntry } from '../../protocol/restore.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { PathNames } from '../crypto/path-names.ts';
import { HoldfastError } from '../../base/errors.ts';
import type { TreeRecord } from '../tree/record.ts';
import { requestFiles } from './source/manifest.ts';
import { PathFilter } from './source/path-filter.ts';
import { treeRecords, type TreeWithChunks } from './source/tree.ts';
import { findTreeEntry } from './source/restore-point.ts';
import type { ListedEntry, ListRequest, RestoreDependencies, RestoreSource } from './types.ts';

export type ListDependencies = Pick<RestoreDependencies, 'service' | 'downloader' | 'catalog' | 'keys' | 'clock'>;

/** Newest first: what the service lists, or what this computer made or saw where the service has no list. */
export async function listRestorePoints(
  source: Pick<RestoreSource, 'deviceId' | 'backupSet'>,
  deps: Pick<RestoreDependencies, 'service' | 'catalog'>,
  signal?: AbortSignal,
): Promise<readonly RestorePoint[]> {
  const listed = await deps.service.restorePoints(source.deviceId, source.backupSet, signal);
  const points = listed ?? deps.catalog.history.restorePoints(source.deviceId, source.backupSet);
  return points.toSorted((a, b) => Date.parse(b.restore_point) - Date.parse(a.restore_point));
}

/**
 * What a folder held, in batches as they become known. Where the service can give one folder, its files come first;
 * folders and links come from the tree. A file's path lists that file; a folder above the set's roots lists the roots.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), `tree_invalid`, and what
 *   the service throws
 */
export async function* listEntries(
  request: ListRequest,
  deps: ListDependencies,
  signal?: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  const folder = withoutTrailingSlash(request.path);
  const entry = await findTreeEntry(request.source, deps, signal);
  const { chunks } = entry;
  if (!chunks) {
    yield* listForeign(request, folder, entry.restorePoint, deps, signal);
    return;
  }
  const early = request.recursive ? [] : await folderFiles(request.source, folder, entry.restorePoint, deps, signal);
  if (early.length > 0) yield early;
  yield* listTree(request, folder, { ...entry, chunks }, new Set(early.map((file) => file.path)), deps, signal);
}

async function* listTree(
  request: ListRequest,
  folder: string,
  entry: TreeWithChunks,
  listed: ReadonlySet<string>,
  deps: ListDependencies,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ListedEntry[]> {
  const filter = new PathFilter([folder]);
  const selection = new FolderSelection(folder, request.recursive);
  for await (const records of treeRecords(request.source, entry, deps, signal)) {
    const taken = records.filter((record) => filter.takes(record.path) && selection.takes(record));
    const batch = taken.filter((record) => !listed.has(record.path)).map(listedRecord);
    if (batch.length > 0) yield batch;
    const last = records.at(-1);
    // In path order nothing of the folder can follow.
    if (last && folder !== '' && comparePaths(last.path, folder) > 0 && !isWithin(last.path, folder)) break;
  }
  const [missing] = filter.missing();
  if (missing) throw new HoldfastError('path_not_found', { ...missing });
}

/** Chooses, among the entries at or below a path in path order, those that a listing of it shows. */
class FolderSelection {
  readonly #folder: string;
  readonly #recursive: boolean;
  /** The folder itself was there: what is directly inside is shown. */
  #inside = false;
  #lastTop: string | undefined;

  constructor(folder: string, recursive: boolean) {
    this.#folder = folder;
    this.#recursive = recursive;
  }

  takes({ path, type }: Pick<TreeRecord, 'path' | 'type'>): boolean {
    if (path === this.#folder) {
      this.#inside = type === 'directory';
      return type !== 'directory';
    }
    if (this.#recursive) return true;
    if (this.#inside) return parentOf(path) === this.#folder;
    // Above the roots: each root, and nothing that is in one.
    if (this.#lastTop !== undefined && isWithin(path, this.#lastTop)) return false;
    this.#lastTop = path;
    return true;
  }
}

/** Files that the service has directly in a folder, where it can tell without the whole tree; else nothing yet. */
async function folderFiles(
  source: RestoreSource,
  folder: string,
  restorePoint: string,
  deps: ListDependencies,
  signal: AbortSignal | undefined,
): Promise<readonly ListedEntry[]> {
  if (folder === '' || !(await deps.service.capabilities(signal)).has('restore.directories')) return [];
  const files: ListedEntry[] = [];
  const take = (entries: readonly RestoreFileEntry[]): void => {
    for (const entry of entries) if (parentOf(entry.path) === folder) files.push(listedFile(entry.path, entry));
  };
  const request = {
    device_id: source.deviceId,
    backup_set: source.backupSet,
    point_in_time: restorePoint,
    path: folder,
    recursive: false,
  };
  await deps.service.restoreManifest(request, take, signal, () => files.splice(0));
  return files;
}

/** Without a tree: the files, and the folders that their paths tell of. */
async function* listForeign(
  request: ListRequest,
  folder: string,
  restorePoint: string,
  deps: ListDependencies,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ListedEntry[]> {
  const entries = new Map<string, ListedEntry>();
  const receiver = {
    onFiles: (files: readonly { readonly path: string; readonly entry: RestoreFileEntry }[]): void => {
      for (const { path, entry } of files) {
        if (isReservedPath(path)) continue;
        if (request.recursive)
          for (const above of foldersBetween(folder, path)) entries.set(above, listedFolder(above, entry));
        const direct = request.recursive || path === folder || parentOf(path) === folder;
        const shown = direct ? path : folder + path.slice(folder.length).split('/', 2).join('/');
        entries.set(shown, direct ? listedFile(path, entry) : listedFolder(shown, entry));
      }
    },
    onRestart: () => entries.clear(),
  };
  const parts = { service: deps.service, names: new PathNames(deps.keys.path), sealed: undefined };
  await requestFiles(request.source, restorePoint, folder === '' ? [] : [folder], parts, receiver, signal);
  if (entries.size === 0 && folder !== '') throw new HoldfastError('path_not_found', { path: folder });
  if (entries.size > 0) yield [...entries.values()].sort((a, b) => comparePaths(a.path, b.path));
}

/** The folders that lead from a folder to what is somewhere in it. */
function* foldersBetween(folder: string, path: string): Generator<string> {
  for (let end = path.indexOf('/', folder.length + 1); end !== -1; end = path.indexOf('/', end + 1)) {
    yield path.slice(0, end);
  }
}

/** A folder that nothing but the path of a file in it tells of. */
function listedFolder(path: string, entry: RestoreFileEntry): ListedEntry {
  return { ...listedFile(path, entry), type: 'directory', size: 0 };
}

function listedFile(path: string, entry: RestoreFileEntry): ListedEntry {
  return { path, type: 'file', size: entry.size, modified: formatTimestamp(Date.parse(entry.modified)) };
}

/** Milliseconds that a Date can hold, on each side of the epoch. */
const DATE_LIMIT_MS = 8.64e15;

function listedRecord(record: TreeRecord): ListedEntry {
  const milliseconds = Math.floor(Number(record.mtimeNs) / 1e6);
  const modified = formatTimestamp(Math.max(-DATE_LIMIT_MS, Math.min(DATE_LIMIT_MS, milliseconds)));
  return { path: record.path, type: record.type, size: record.type === 'file' ? record.size : 0, modified };
}
