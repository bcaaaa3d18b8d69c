import { useCallback, useEffect, useRef, useState } from 'react';
import type { ChangedEntry } from '../../../ipc/contract/restore/history.ts';
import { call } from '../../bridge/bridge.ts';

/** The two restore points that are compared. */
export interface Compared {
  readonly set: string;
  /** `undefined` for this computer. */
  readonly device?: string | undefined;
  readonly destination: string;
  /** ISO 8601. By default the one before the later one. */
  readonly from?: string | undefined;
  readonly to: string;
}

/** Entries that are asked for at a time. */
export const PAGE = 200;

interface Held {
  readonly entries: readonly ChangedEntry[];
  readonly total: number;
}

/** A line of the tree: an entry, or what stands for those that are not here yet. */
export type ChangedLine =
  | {
      readonly kind: 'entry';
      readonly key: string;
      readonly level: number;
      readonly entry: ChangedEntry;
      readonly isOpen: boolean;
    }
  | { readonly kind: 'loading'; readonly key: string; readonly level: number }
  | {
      readonly kind: 'more';
      readonly key: string;
      readonly level: number;
      readonly folder: string;
      readonly left: number;
    };

interface ChangedFolders {
  readonly lines: readonly ChangedLine[];
  readonly failure: unknown;
  readonly toggle: (folder: string, isOpen: boolean) => void;
  readonly loadMore: (folder: string) => void;
}

/**
 * The folders of a tree of changes, each loaded when it is opened.
 *
 * @param top what is known already
 * @param isShort opens all folders at once: there are few
 */
export function useChangedFolders(
  { set, device, destination, from, to }: Compared,
  top: Held,
  isShort: boolean,
): ChangedFolders {
  const [folders, setFolders] = useState<ReadonlyMap<string, Held>>(new Map([['', top]]));
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState<unknown>();
  const load = useCallback(
    function load(folder: string, first: number): void {
      setFailure(undefined);
      const take = ({ entries, total }: Held): void => {
        setFolders((before) => {
          const known = before.get(folder)?.entries.slice(0, first) ?? [];
          return new Map(before).set(folder, { entries: [...known, ...entries], total });
        });
        if (isShort) openEach(entries, setOpen, load);
      };
      const page = { folder, first, count: PAGE };
      call('history.changed-folder', { set, device, destination, from, to, ...page }).then(take, setFailure);
    },
    [set, device, destination, from, to, isShort],
  );
  const isOpened = useRef(!isShort);
  useEffect(() => {
    if (isOpened.current) return;
    isOpened.current = true;
    openEach(top.entries, setOpen, load);
  }, [top, load]);
  const toggle = (folder: string, isOpen: boolean): void => {
    const next = new Set(open);
    if (isOpen) next.add(folder);
    else next.delete(folder);
    setOpen(next);
    if (isOpen && !folders.has(folder)) load(folder, 0);
  };
  const loadMore = (folder: string): void => load(folder, folders.get(folder)?.entries.length ?? 0);
  return { lines: [...linesOf('', 1, folders, open)], failure, toggle, loadMore };
}

function openEach(
  entries: readonly ChangedEntry[],
  setOpen: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void,
  load: (folder: string, first: number) => void,
): void {
  const folders = entries.filter(({ isFolder }) => isFolder).map(({ path }) => path);
  setOpen((before) => new Set([...before, ...folders]));
  for (const folder of folders) load(folder, 0);
}

function* linesOf(
  folder: string,
  level: number,
  folders: ReadonlyMap<string, Held>,
  open: ReadonlySet<string>,
): Generator<ChangedLine> {
  const held = folders.get(folder);
  if (!held) {
    yield { kind: 'loading', key: `${folder}\0`, level };
    return;
  }
  for (const entry of held.entries) {
    const isOpen = entry.isFolder && open.has(entry.path);
    yield { kind: 'entry', key: entry.path, level, entry, isOpen };
    if (isOpen) yield* linesOf(entry.path, level + 1, folders, open);
  }
  const left = held.total - held.entries.length;
  if (left > 0) yield { kind: 'more', key: `${folder}\0`, level, folder, left };
}
