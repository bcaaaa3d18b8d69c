import { create } from 'zustand';
import type { BrowsedEntry, ConflictChoice, RestoreRequest } from '../../../../ipc/contract/restore.ts';
import { NOTHING, renewed, selectionOf } from './selection.ts';
import type { Selection } from './selection.ts';

/** A set of a device; `device` is missing for this one. */
export interface Source {
  readonly set: string;
  readonly device?: string | undefined;
  readonly deviceName: string;
}

/** A folder on the way down, and the row in it that was opened last. */
export interface Step {
  readonly path: string;
  readonly name: string;
  readonly row: number;
}

const TOP: readonly Step[] = [{ path: '', name: '', row: 0 }];
const NONE: ReadonlySet<string> = new Set();

/** What a restore that is asked for begins with. */
export interface Asking {
  readonly to?: string;
  readonly conflict?: ConflictChoice | undefined;
}

interface Held {
  readonly source: Source | undefined;
  /** The time that names it; nothing is the newest. */
  readonly restorePoint: string | undefined;
  /** From the top to the folder that is seen; never empty. */
  readonly steps: readonly Step[];
  /** The way down to a folder that is not there at this time, and the name of the first that is not. */
  readonly gone: { readonly name: string; readonly steps: readonly Step[] } | undefined;
  readonly selection: Selection;
  /** The restore point in which what is chosen was looked up last. */
  readonly selectionAt: string | undefined;
  /** Chosen at another time, and not there at this one: it counts again where it is there. */
  readonly missing: ReadonlySet<string>;
  /** The question where to is open. */
  readonly asking: Asking | undefined;
  /** A restore, with what was asked for where it was begun here, until the person is through with its result. */
  readonly started: { readonly run: number; readonly request: RestoreRequest | undefined } | undefined;
}

const FRESH = {
  restorePoint: undefined,
  steps: TOP,
  gone: undefined,
  selection: NOTHING,
  selectionAt: undefined,
  missing: NONE,
  asking: undefined,
};

/** Outside of the view: who looks at something else and comes back finds all as it was. */
export const useRestore = create<Held>(() => ({ ...FRESH, source: undefined, started: undefined }));

export function chooseSource(source: Source): void {
  useRestore.setState({ ...FRESH, source });
}

/** Folder and choice stay, as far as they were there then; what was not is remembered for a time at which it was. */
export function choosePoint(restorePoint: string): void {
  useRestore.setState(({ steps, gone }) => ({ restorePoint, steps: gone?.steps ?? steps, gone: undefined }));
}

export function openFolder({ path, name }: Pick<BrowsedEntry, 'path' | 'name'>, row: number): void {
  useRestore.setState(({ steps }) => ({
    steps: [...steps.slice(0, -1), { ...steps.at(-1)!, row }, { path, name, row: 0 }],
    gone: undefined,
  }));
}

/** Back to one of the folders on the way; `depth` 0 is the top. */
export function climbTo(depth: number): void {
  useRestore.setState(({ steps }) => ({ steps: steps.slice(0, Math.max(1, depth + 1)), gone: undefined }));
}

/** Up from a folder that is not there at this time. */
export function leaveMissingFolder(): void {
  useRestore.setState(({ steps, gone }) => ({
    steps: steps.slice(0, -1),
    gone: { name: steps.at(-1)!.name, steps: gone?.steps ?? steps },
  }));
}

/** @param restorePoint in which the person chooses */
export function choose(change: (before: Selection) => Selection, restorePoint: string): void {
  useRestore.setState(({ selection, selectionAt }) => ({
    selection: change(selection),
    selectionAt: selection.chosen.size === 0 ? restorePoint : selectionAt,
  }));
}

export function chooseNothing(): void {
  useRestore.setState({ selection: NOTHING, selectionAt: undefined, missing: NONE });
}

/** What was looked up of what is chosen. */
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

export function setStarted(started: Held['started']): void {
  useRestore.setState({ started });
}

/** Fills everything in as it was asked for, up to the last press. */
export function askAgain(request: RestoreRequest): void {
  const { set, device, restorePoint, to, conflict } = request;
  useRestore.setState({
    ...FRESH,
    source: { set, device, deviceName: '' },
    restorePoint,
    selection: selectionOf(request),
    asking: { to, conflict },
    started: undefined,
  });
}
