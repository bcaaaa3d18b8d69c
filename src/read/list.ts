import { HoldfastError } from '../base/errors/errors.ts';
import type { RestorePoint } from '../protocol/extensions.ts';
import type { RunWarning } from '../jobs/run-warning.ts';
import { isReservedPath } from '../protocol/path.ts';
import { comparePaths, isWithin, parentOf, withoutTrailingSlash } from '../model/entry-path.ts';
import type { RestoreFileEntry } from '../protocol/restore.ts';
import { formatTimestamp } from '../protocol/timestamp.ts';
import { PathNames } from '../format/crypto/path-names.ts';
import { piecesOfFolder, piecesWithin } from '../format/tree/piece-ranges.ts';
import type { TreeRecord } from '../format/tree/record.ts';
import { nearestEntries } from './source/nearest-entries.ts';
import { requestFiles, type ManifestReceiver } from './source/manifest.ts';
import { PathFilter } from './source/path-filter.ts';
import { findRestorePoint, type FoundRestorePoint } from './source/restore-point.ts';
import { checkAnswer, openTree, readPieces } from './source/tree.ts';
import type { RestoreSource } from '../model/restore-request.ts';
import type { KnownPoint } from '../catalog/history.ts';
import type { ReadDependencies } from './types.ts';

export interface ListRequest {
  readonly source: RestoreSource;
  /** Entry path of a folder (or of one file); `''` and `/` are everything. */
  readonly path: string;
  /** Lists everything below; otherwise only direct entries. */
  readonly recursive: boolean;
}

export interface ListingObserver {
  /** Told before the first entry if the destination may have answered with another state than what was asked for. */
  readonly onWarning?: ((warning: RunWarning) => void) | undefined;
}

export interface ListedEntry {
  /** An entry path. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  readonly size: number;
  /** ISO 8601, milliseconds. */
  readonly modified: string;
}

/** Returns the service's list, newest first, or what this computer made or saw if the service has no list. */
export async function listRestorePoints(
  source: Pick<RestoreSource, 'deviceId' | 'backupSet'>,
  deps: Pick<ReadDependencies, 'service' | 'catalog'>,
  signal?: AbortSignal,
): Promise<readonly RestorePoint[]> {
  const listed = await deps.service.restorePoints(source.deviceId, source.backupSet, signal);
  const known = deps.catalog.history.restorePoints(source.deviceId, source.backupSet);
  const points = listed ? asKnown(listed, known, deps.service.now()) : known;
  return points.toSorted((a, b) => Date.parse(b.restore_point) - Date.parse(a.restore_point));
}

/**
 * Returns restore points of a service with the times of completion that can be relied on: what this computer was told when it made them.
 * Nothing proves what a list says of others, and the time of a restore point is compared with what this computer knows. So only one in the
 * future is corrected.
 */
function asKnown(listed: readonly RestorePoint[], known: readonly KnownPoint[], now: number): readonly RestorePoint[] {
  const byId = new Map(known.map((point) => [point.backup_id, point.completed_at]));
  return listed.map(({ completed_at: stated, ...point }) => {
    const isLate = stated !== undefined && Date.parse(point.restore_point) > now && stated < point.restore_point;
    const completed = byId.get(point.backup_id) ?? (isLate ? stated : undefined);
    return completed === undefined ? point : { ...point, completed_at: completed };
  });
}

/**
 * Lists a folder, in batches as they become known, from the pieces of the tree that can contain its entries. A file's path
 * lists that file; a folder above the set's roots lists the roots.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), `tree_invalid`, and what
 *   the service throws
 */
export async function* listEntries(
  { source, path, recursive }: ListRequest,
  deps: ReadDependencies & ListingObserver,
  signal?: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  const folder = withoutTrailingSlash(path);
  const point = await findRestorePoint(source, deps, signal);
  const listing = { source, folder, recursive, point, deps, signal };
  if (!point.treeChunks) {
    yield* listWithoutTree(listing);
    return;
  }
  yield* listTree(listing);
}

interface Listing {
  readonly source: RestoreSource;
  /** Entry path. */
  readonly folder: string;
  readonly recursive: boolean;
  readonly point: FoundRestorePoint;
  readonly deps: ReadDependencies & ListingObserver;
  readonly signal: AbortSignal | undefined;
}

async function* listTree({
  source,
  folder,
  recursive,
  point,
  deps,
  signal,
}: Listing): AsyncGenerator<readonly ListedEntry[]> {
  const tree = await openTree(source, point, deps, signal);
  for (const warning of checkAnswer(source, point, tree.footer, deps)) deps.onWarning?.(warning);
  const { pieces, roots } = tree.footer;
  const indexes = recursive ? piecesWithin(pieces, folder) : piecesOfFolder(pieces, folder, roots);
  const filter = new PathFilter([folder]);
  const selection = new FolderSelection(folder, recursive);
  for await (const outcome of readPieces(tree, indexes, deps, signal)) {
    if (outcome.error) throw outcome.error;
    const taken = outcome.records.filter((record) => filter.takes(record.path) && selection.takes(record));
    if (taken.length > 0) yield taken.map(entryOfRecord);
  }
  if (filter.missing().length === 0) return;
  throw new HoldfastError('path_not_found', { ...(await nearestEntries(tree, folder, deps, signal)) });
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
    // A listing shows what there is; a restore names malformed elements.
    onRefused: () => undefined,
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
