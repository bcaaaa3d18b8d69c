import { HoldfastError } from '../../base/errors.ts';
import type { RestorePoint } from '../../protocol/extensions.ts';
import { comparePaths, isReservedPath, isWithin, parentOf, withoutTrailingSlash } from '../../protocol/path.ts';
import type { RestoreFileEntry } from '../../protocol/restore.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { PathNames } from '../crypto/path-names.ts';
import type { TreeRecord } from '../tree/record.ts';
import { requestFiles, type ManifestReceiver } from './source/manifest.ts';
import { PathFilter } from './source/path-filter.ts';
import { findRestorePoint, type FoundRestorePoint } from './source/restore-point.ts';
import { treeRecords } from './source/tree.ts';
import type { RestoreSource } from '../job/job-request.ts';
import type { ListedEntry, ListRequest, RestoreDependencies } from './types.ts';

export type ListDependencies = Pick<RestoreDependencies, 'service' | 'downloader' | 'catalog' | 'keys' | 'clock'>;

/** Returns the service's list, newest first, or what this computer made or saw if the service has no list. */
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
 * Lists a folder, in batches as they become known. If the service can list a single folder, its files come first; folders
 * and links come from the tree. A file's path lists that file; a folder above the set's roots lists the roots.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), `tree_invalid`, and what
 *   the service throws
 */
export async function* listEntries(
  { source, path, recursive }: ListRequest,
  deps: ListDependencies,
  signal?: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  const folder = withoutTrailingSlash(path);
  const point = await findRestorePoint(source, deps, signal);
  const listing = { source, folder, recursive, point, deps, signal };
  if (!point.treeChunks) {
    yield* listWithoutTree(listing);
    return;
  }
  const early = recursive ? [] : await filesOfFolder(listing);
  if (early.length > 0) yield early;
  yield* listTree(listing, point.treeChunks, new Set(early.map((file) => file.path)));
}

interface Listing {
  readonly source: RestoreSource;
  /** Entry path. */
  readonly folder: string;
  readonly recursive: boolean;
  readonly point: FoundRestorePoint;
  readonly deps: ListDependencies;
  readonly signal: AbortSignal | undefined;
}

async function* listTree(
  { source, folder, recursive, point, deps, signal }: Listing,
  treeChunks: readonly string[],
  listed: ReadonlySet<string>,
): AsyncGenerator<readonly ListedEntry[]> {
  const filter = new PathFilter([folder]);
  const selection = new FolderSelection(folder, recursive);
  for await (const records of treeRecords(source, { ...point, treeChunks }, deps, signal)) {
    const taken = records.filter((record) => filter.takes(record.path) && selection.takes(record));
    const batch = taken.filter((record) => !listed.has(record.path)).map(entryOfRecord);
    if (batch.length > 0) yield batch;
    const last = records.at(-1);
    // In path order nothing of the folder can follow.
    if (last && folder !== '' && comparePaths(last.path, folder) > 0 && !isWithin(last.path, folder)) break;
  }
  const [missing] = filter.missing();
  if (missing) throw new HoldfastError('path_not_found', { ...missing });
}

/** Selects, among the entries at or below a path in path order, those that a listing of it shows. */
class FolderSelection {
  readonly #folder: string;
  readonly #recursive: boolean;
  /** The folder itself was found: its direct entries are shown. */
  #isInside = false;
  #lastTop: string | undefined;

  constructor(folder: string, recursive: boolean) {
    this.#folder = folder;
    this.#recursive = recursive;
  }

  takes({ path, type }: Pick<TreeRecord, 'path' | 'type'>): boolean {
    if (path === this.#folder) {
      this.#isInside = type === 'directory';
      return type !== 'directory';
    }
    if (this.#recursive) return true;
    if (this.#isInside) return parentOf(path) === this.#folder;
    // Above the roots: only the roots are shown.
    if (this.#lastTop !== undefined && isWithin(path, this.#lastTop)) return false;
    this.#lastTop = path;
    return true;
  }
}

/** The files directly in a folder, if the service can list a single folder; otherwise none. */
async function filesOfFolder({ source, folder, point, deps, signal }: Listing): Promise<readonly ListedEntry[]> {
  if (folder === '' || !(await deps.service.capabilities(signal)).has('restore.directories')) return [];
  const files: ListedEntry[] = [];
  const onFiles = (entries: readonly RestoreFileEntry[]): void => {
    for (const entry of entries) if (parentOf(entry.path) === folder) files.push(entryOfFile(entry.path, entry));
  };
  const request = {
    device_id: source.deviceId,
    backup_set: source.backupSet,
    point_in_time: point.restorePoint,
    path: folder,
    recursive: false,
  };
  await deps.service.restoreManifest(request, onFiles, signal, () => files.splice(0));
  return files;
}

/** Lists the files of the manifest, and the folders above them. */
async function* listWithoutTree(listing: Listing): AsyncGenerator<readonly ListedEntry[]> {
  const { source, folder, recursive, point, deps, signal } = listing;
  const entries = new Map<string, ListedEntry>();
  const receiver: ManifestReceiver = {
    onFiles: (files) => {
      for (const { path, entry } of files) {
        if (isReservedPath(path)) continue;
        if (recursive) {
          for (const above of foldersBetween(folder, path)) entries.set(above, entryOfFolder(above, entry));
        }
        const isShown = recursive || path === folder || parentOf(path) === folder;
        const shown = isShown ? path : folder + path.slice(folder.length).split('/', 2).join('/');
        entries.set(shown, isShown ? entryOfFile(path, entry) : entryOfFolder(shown, entry));
      }
    },
    onRestart: () => entries.clear(),
  };
  const { restorePoint } = point;
  const names = new PathNames(deps.keys.path);
  const prefixes = folder === '' ? [] : [folder];
  const request = { source, restorePoint, prefixes, service: deps.service, names, sealed: undefined };
  await requestFiles(request, receiver, signal);
  if (entries.size === 0 && folder !== '') throw new HoldfastError('path_not_found', { path: folder });
  if (entries.size > 0) yield [...entries.values()].sort((a, b) => comparePaths(a.path, b.path));
}

/** The folders between a folder and a path in it. */
function* foldersBetween(folder: string, path: string): Generator<string> {
  for (let end = path.indexOf('/', folder.length + 1); end !== -1; end = path.indexOf('/', end + 1)) {
    yield path.slice(0, end);
  }
}

/** A folder that is known from the path of a file in it only. */
function entryOfFolder(path: string, entry: RestoreFileEntry): ListedEntry {
  return { ...entryOfFile(path, entry), type: 'directory', size: 0 };
}

function entryOfFile(path: string, entry: RestoreFileEntry): ListedEntry {
  return { path, type: 'file', size: entry.size, modified: formatTimestamp(Date.parse(entry.modified)) };
}

/** Largest number of milliseconds that a Date holds, on each side of the epoch. */
const DATE_LIMIT_MS = 8.64e15;

function entryOfRecord(record: TreeRecord): ListedEntry {
  const milliseconds = Math.floor(Number(record.mtimeNs) / 1e6);
  const modified = formatTimestamp(Math.max(-DATE_LIMIT_MS, Math.min(DATE_LIMIT_MS, milliseconds)));
  return { path: record.path, type: record.type, size: record.type === 'file' ? record.size : 0, modified };
}
