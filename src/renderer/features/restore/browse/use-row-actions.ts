import { useState } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { isPackage } from '../packages.ts';
import { choose, choosePoint, lookAt, openFolder } from '../store/restore-store.ts';
import type { Looking, PointTime } from '../store/restore-store.ts';
import { toggled } from '../store/selection.ts';
import type { GoneEntry } from '../use-gone.ts';
import type { Listing } from './listing.ts';
import type { CurrentRow } from './use-current-row.ts';
import { useRange } from './use-range.ts';
import { useTypeAhead } from './use-type-ahead.ts';
import type { TypeAhead } from './use-type-ahead.ts';

/** An entry of the folder, or one that it had before. */
export type ShownEntry = BrowsedEntry | GoneEntry;

interface ShownRows {
  readonly source: Looking['source'];
  readonly listing: Listing;
  readonly point: PointTime;
  readonly row: CurrentRow;
  /** Returns an entry that is loaded. */
  readonly entryAt: (index: number) => ShownEntry | undefined;
}

interface RowActions {
  readonly typing: TypeAhead;
  /** The last range was refused because of its length. */
  readonly isTooMuch: boolean;
  /** Makes a row current and visible. */
  readonly go: (index: number) => void;
  /** Makes a row current that is visible. */
  readonly press: (index: number) => void;
  readonly toggle: (entry: ShownEntry) => void;
  /** Opens a folder, selects a package, looks at a file. */
  readonly open: (entry: ShownEntry, index: number) => void;
  /** Opens a folder, also a package. */
  readonly enter: (entry: ShownEntry, index: number) => void;
  readonly look: (entry: ShownEntry, index: number, mode: Looking['mode']) => void;
  /** Selects the rows up to this one. */
  readonly extend: (index: number) => void;
}

/** Returns the restore point that has an entry. */
export function timeOf(entry: ShownEntry, point: PointTime): PointTime {
  return 'last' in entry ? entry.last : point;
}

/** What keys and the pointer do to the rows of a folder. */
export function useRowActions({ source, listing, point, row, entryAt }: ShownRows): RowActions {
  const { restorePoint } = point;
  const range = useRange(listing, restorePoint);
  const [isTooMuch, setTooMuch] = useState(false);

  const go = (index: number): void => {
    setTooMuch(false);
    range.end();
    row.move(index);
  };
  const typing = useTypeAhead(listing, row.current, go);
  const press = (index: number): void => {
    typing.end();
    setTooMuch(false);
    range.end();
    row.mark(index);
  };
  const toggle = (entry: ShownEntry): void => {
    if ('last' in entry) return;
    range.end();
    choose((before) => toggled(before, entry), restorePoint);
  };
  const extend = (index: number): void => {
    if (index >= listing.view.total) return;
    setTooMuch(!range.extend(row.current, index));
    row.move(index);
  };

  const open = (entry: ShownEntry, index: number): void => {
    if (isPackage(entry) && !('last' in entry)) toggle(entry);
    else if (entry.type === 'directory') enter(entry, index);
    else look(entry, index, 'content');
  };
  const enter = (entry: ShownEntry, index: number): void => {
    if ('last' in entry) choosePoint(entry.last.restorePoint);
    openFolder(entry, index);
  };
  const look = (entry: ShownEntry, index: number, mode: Looking['mode']): void => {
    if (entry.type !== 'file') return;
    const { restorePoint: shown, madeAt } = timeOf(entry, point);
    const neighbour: Looking['neighbour'] = (direction) => lookBeside(index, direction === 'next' ? 1 : -1);
    lookAt({ source, path: entry.path, restorePoint: shown, madeAt, entry, mode, neighbour });
  };
  /** Returns a function that looks at the nearest file in a direction, as far as rows are loaded. */
  const lookBeside = (index: number, step: 1 | -1): (() => void) | undefined => {
    let beside = index + step;
    let entry = entryAt(beside);
    while (entry && entry.type !== 'file') {
      beside += step;
      entry = entryAt(beside);
    }
    if (!entry) return undefined;
    const found = entry;
    return () => {
      go(beside);
      look(found, beside, 'content');
    };
  };
  return { typing, isTooMuch, go, press, toggle, open, enter, look, extend };
}
