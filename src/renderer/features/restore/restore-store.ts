import { create } from 'zustand';
import type { BrowsedEntry, RestoreRequest } from '../../../ipc/restore.ts';
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

interface Held {
  readonly source: Source | undefined;
  /** The time that names it; nothing is the newest. */
  readonly restorePoint: string | undefined;
  /** From the top to the folder that is seen; never empty. */
  readonly steps: readonly Step[];
  readonly selection: Selection;
  /** A restore, with what was asked for where it was begun here, until the person is through with its result. */
  readonly started: { readonly run: number; readonly request: RestoreRequest | undefined } | undefined;
}

/** Outside of the view: who looks at something else and comes back finds all as it was. */
export const useRestore = create<Held>(() => ({
  source: undefined,
  restorePoint: undefined,
  steps: TOP,
  selection: new Map(),
  started: undefined,
}));

export function chooseSource(source: Source): void {
  useRestore.setState({ source, restorePoint: undefined, steps: TOP, selection: new Map() });
}

/** The folder stays, as far as it was there then; what was chosen was chosen at another time, and is not taken along. */
export function choosePoint(restorePoint: string): void {
  useRestore.setState({ restorePoint, selection: new Map() });
}

export function openFolder({ path, name }: Pick<BrowsedEntry, 'path' | 'name'>, row: number): void {
  useRestore.setState(({ steps }) => ({
    steps: [...steps.slice(0, -1), { ...steps.at(-1)!, row }, { path, name, row: 0 }],
  }));
}

/** Back to one of the folders on the way; `depth` 0 is the top. */
export function climbTo(depth: number): void {
  useRestore.setState(({ steps }) => ({ steps: steps.slice(0, Math.max(1, depth + 1)) }));
}

export function setSelection(change: (before: Selection) => Selection): void {
  useRestore.setState(({ selection }) => ({ selection: change(selection) }));
}

export function setStarted(started: Held['started']): void {
  useRestore.setState({ started });
}
