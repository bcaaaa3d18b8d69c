import { nameOf } from '../../../../model/entry-path.ts';
import { create } from 'zustand';
import type { BrowsedEntry, ListingOrder } from '../../../../ipc/contract/restore/restore.ts';
import type { RestorePoint } from '../../../../model/restore-point.ts';
import type { ConflictChoice, RestoreRequest } from '../../../../model/restore-request.ts';
import { NOTHING, renewed, selectionOf } from './selection.ts';
import type { Selection } from './selection.ts';

/** A set of a device; `device` is `undefined` for this one. */
export interface Source {
  readonly set: string;
  readonly device?: string | undefined;
  readonly deviceName: string;
  /** The id of the destination; `undefined` for the nearest. */
  readonly destination?: string | undefined;
}

/** A folder of the path, and the entry in it that was opened last. */
export interface Step {
  readonly path: string;
  readonly name: string;
  /** Where the entry was then. */
  readonly row: number;
  /** Its path; `undefined` before any was opened. */
  readonly opened: string | undefined;
}

const TOP: readonly Step[] = [{ path: '', name: '', row: 0, opened: undefined }];
const NONE: ReadonlySet<string> = new Set();

/** The time that identifies a restore point, and when it was made. */
export type PointTime = Pick<RestorePoint, 'restorePoint' | 'madeAt'>;

/** Initial values of the restore dialog. */
export interface Asking {
  /** `null` for the original places. */
  readonly to?: string | null;
  readonly conflict?: ConflictChoice | undefined;
  readonly exact?: boolean | undefined;
  readonly choices?: RestoreRequest['choices'];
  /** One entry of a restore point to restore instead of the selection. */
  readonly only?: { readonly entry: BrowsedEntry; readonly at: PointTime };
}

/** A file to look at, with its versions. */
export interface Looking extends PointTime {
  readonly source: Pick<Source, 'set' | 'device' | 'destination'>;
  /** Entry path. */
  readonly path: string;
  /** The version of the restore point, which is shown first, until all of them are known. */
  readonly entry: Pick<BrowsedEntry, 'size' | 'modified'>;
  /** What is shown first: the content, or the differences from the version before. */
  readonly mode: 'content' | 'changes';
  /** Returns what shows the file before or after this one in its list; `undefined` at an end. */
  readonly neighbour?: ((direction: 'previous' | 'next') => (() => void) | undefined) | undefined;
}

/** Restricts what is found; `any` restricts nothing. */
export interface FindFilters {
  readonly kind: 'any' | 'file' | 'directory';
  readonly size: 'any' | 'small' | 'medium' | 'large';
  /** When it was changed. */
  readonly changed: 'any' | 'week' | 'month' | 'year' | 'before';
  readonly isDeletedOnly: boolean;
}

const ALL: FindFilters = { kind: 'any', size: 'any', changed: 'any', isDeletedOnly: false };

interface Held {
  readonly source: Source | undefined;
  /** The id of the destination whose restore points are shown; `undefined` for the nearest. */
  readonly destination: string | undefined;
  /** Time of the selected restore point; `undefined` for the newest. */
  readonly restorePoint: string | undefined;
  /** The path from the top to the open folder; not empty. */
  readonly steps: readonly Step[];
  /** The path to a folder that does not exist in this restore point, and the name of the first missing one. */
  readonly gone: { readonly name: string; readonly steps: readonly Step[] } | undefined;
  /** The order of the entries. */
  readonly order: ListingOrder;
  readonly selection: Selection;
  /** The restore point in which the selection was looked up last. */
  readonly selectionAt: string | undefined;
  /** Selected paths that do not exist in this restore point. They count again in one that has them. */
  readonly missing: ReadonlySet<string>;
  /** A part of the name of what the person looks for in all backups; empty while they browse. */
  readonly search: string;
  /** What is found besides its name. */
  readonly filters: FindFilters;
  /** The file that is looked at. */
  readonly looking: Looking | undefined;
  /** A path that a person asked for in a file manager, and that no set backs up. */
  readonly unknownPath: string | undefined;
  /** Set while the restore dialog is open. */
  readonly asking: Asking | undefined;
  /** The shown restore until the person closes its result, with its request if it was started here. */
  readonly started: { readonly run: number; readonly request: RestoreRequest | undefined } | undefined;
}

const FRESH = {
  restorePoint: undefined,
  steps: TOP,
  gone: undefined,
  selection: NOTHING,
  selectionAt: undefined,
  missing: NONE,
  looking: undefined,
  asking: undefined,
};

/** Kept outside of the view, so that it survives a visit to another view. */
export const useRestore = create<Held>(() => ({
  ...FRESH,
  source: undefined,
  destination: undefined,
  search: '',
  filters: ALL,
  unknownPath: undefined,
  order: { by: 'name', isDescending: false },
  started: undefined,
}));

export function chooseSource(source: Source): void {
  useRestore.setState({ ...FRESH, source });
}

/** Keeps the set. @param destination `undefined` for the nearest */
export function chooseDestination(destination: string | undefined): void {
  useRestore.setState({ ...FRESH, destination });
}

/** Keeps the folder and the selection as far as they exist there, and remembers the rest for other restore points. */
export function choosePoint(restorePoint: string): void {
  useRestore.setState(({ steps, gone }) => ({ restorePoint, steps: gone?.steps ?? steps, gone: undefined }));
}

export function openFolder({ path, name }: Pick<BrowsedEntry, 'path' | 'name'>, row: number): void {
  useRestore.setState(({ steps }) => ({
    steps: [...steps.slice(0, -1), { ...steps.at(-1)!, row, opened: path }, { path, name, row: 0, opened: undefined }],
    gone: undefined,
  }));
}

/** Opens a folder of the path; `depth` 0 is the top. */
export function climbTo(depth: number): void {
  useRestore.setState(({ steps }) => ({ steps: steps.slice(0, Math.max(1, depth + 1)), gone: undefined }));
}

/** Opens the parent of a folder that does not exist in this restore point. */
export function leaveMissingFolder(): void {
  useRestore.setState(({ steps, gone }) => ({
    steps: steps.slice(0, -1),
    gone: { name: steps.at(-1)!.name, steps: gone?.steps ?? steps },
  }));
}

/** @param restorePoint in which the person selects */
export function choose(change: (before: Selection) => Selection, restorePoint: string): void {
  useRestore.setState(({ selection, selectionAt }) => ({
    selection: change(selection),
    selectionAt: selection.chosen.size === 0 ? restorePoint : selectionAt,
  }));
}

export function chooseNothing(): void {
  useRestore.setState({ selection: NOTHING, selectionAt: undefined, missing: NONE });
}

/** Stores the result of looking up the selection. */
export function lookedUp(restorePoint: string, asked: readonly string[], found: readonly BrowsedEntry[]): void {
  const there = new Set(found.map(({ path }) => path));
  useRestore.setState(({ selection }) => ({
    selection: renewed(selection, found),
    selectionAt: restorePoint,
    missing: new Set(asked.filter((path) => !there.has(path))),
  }));
}

export function setAsking(asking: Asking | undefined): void {
  useRestore.setState({ asking });
}

/** Has the dialog ask about another time. A single entry becomes the selection, which is looked up there. */
export function askAt(restorePoint: string): void {
  choosePoint(restorePoint);
  const { only, ...others } = useRestore.getState().asking ?? {};
  if (!only) return;
  const selection = selectionOf({ paths: [only.entry.path] });
  useRestore.setState({ asking: others, selection, selectionAt: undefined, missing: NONE });
}

export function setStarted(started: Held['started']): void {
  useRestore.setState(started ? { started, looking: undefined } : { started });
}

export function currentOrder(): ListingOrder {
  return useRestore.getState().order;
}

/** Sorts by a column, and in the other direction if it is sorted by that already. */
export function sortBy(by: ListingOrder['by']): void {
  useRestore.setState(({ order }) => ({ order: { by, isDescending: order.by === by && !order.isDescending } }));
}

export function lookAt(looking: Looking | undefined): void {
  useRestore.setState({ looking });
}

export function setFilters(change: Partial<FindFilters>): void {
  useRestore.setState(({ filters }) => ({ filters: { ...filters, ...change } }));
}

export function setSearch(search: string): void {
  useRestore.setState({ search });
}

/** Opens the dialog for one file or folder. */
export function askFor({ set, device, restorePoint, path }: FoundPlace): void {
  useRestore.setState({
    ...FRESH,
    source: { set, device, deviceName: '' },
    destination: undefined,
    restorePoint,
    selection: selectionOf({ paths: [path] }),
    asking: {},
    started: undefined,
  });
}

interface Located {
  readonly set: string;
  readonly root: string;
  readonly path: string;
  readonly isFolder: boolean;
}

/** Opens the newest restore point at an entry: a folder with its contents, a file selected in its folder. */
export function openAt({ set, root, path, isFolder }: Located): void {
  // The top has the roots of the set; the root of a whole disk is the top itself.
  const top = root === '/' ? '' : root;
  const names = path.slice(top.length).split('/').slice(1);
  const below = names.map((_, depth) => `${top}/${names.slice(0, depth + 1).join('/')}`);
  const entries = [top, ...below].filter((entry) => entry !== '' && entry !== '/');
  const folders = isFolder ? entries : entries.slice(0, -1);
  const steps = ['', ...folders].map((folder, depth) => ({
    path: folder,
    name: nameOf(folder),
    row: 0,
    opened: entries[depth],
  }));
  useRestore.setState({
    ...FRESH,
    source: { set, deviceName: '' },
    destination: undefined,
    search: '',
    unknownPath: undefined,
    steps,
    selection: isFolder ? NOTHING : selectionOf({ paths: [path] }),
  });
}

/** A path that no set backs up, for the message that says so. */
export function setUnknownPath(unknownPath: string | undefined): void {
  useRestore.setState({ unknownPath });
}

interface FoundPlace {
  readonly set: string;
  readonly device: string | undefined;
  readonly restorePoint: string;
  readonly path: string;
}

/** Prepares a request again up to the last confirmation. */
export function askAgain(request: RestoreRequest): void {
  const { set, device, destination, at, to, conflict, choices, exact } = request;
  useRestore.setState({
    ...FRESH,
    source: { set, device, deviceName: '' },
    destination,
    restorePoint: at === 'latest' ? undefined : new Date(at).toISOString(),
    selection: selectionOf(request),
    asking: { to, conflict, choices, exact },
    started: undefined,
  });
}
