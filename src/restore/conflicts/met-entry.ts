import type { PlannedEntry } from '../record/planned-entry.ts';
import type { Existing } from './decision.ts';

/** An entry whose target has something else. */
export interface MetEntry {
  /** Entry path. */
  readonly path: string;
  /**
   * `newer`: what exists was modified after the version that is restored; `same-time`: size and time are those of that version;
   * `other-type`: a folder, file or link has the place of another
   */
  readonly kind: 'changed' | 'newer' | 'same-time' | 'other-type';
  readonly type: PlannedEntry['type'];
  readonly size: number;
  /** Milliseconds since the epoch; missing if it is not known. */
  readonly modified?: number;
  readonly there: {
    readonly type: Existing['type'];
    readonly size: number;
    /** Milliseconds since the epoch. */
    readonly modified: number;
  };
}

/** Conflicts that a plan describes. */
export const MAX_MET = 20_000;

interface Met extends Pick<Existing, 'type' | 'same'> {
  readonly isNewer: boolean;
  readonly size: number;
  readonly modified: number;
}

export function metEntry(
  { path, type, size, seconds, nanoseconds }: PlannedEntry,
  { type: typeThere, same, isNewer, size: sizeThere, modified }: Met,
): MetEntry {
  const there = { type: typeThere, size: sizeThere, modified };
  const kind = typeThere !== type ? 'other-type' : same ? 'same-time' : isNewer ? 'newer' : 'changed';
  const time = seconds === null ? {} : { modified: seconds * 1000 + Math.floor(nanoseconds / 1e6) };
  return { path, kind, type, size, ...time, there };
}
