import { useEffect, useId, useState } from 'react';
import type { KeyboardEvent, MouseEvent, ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import type { MenuPlace } from '../../../../ui/buttons/context-menu.tsx';
import { useVirtualRows } from '../../../../ui/tables/use-virtual-rows.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Listing } from './listing.ts';
import { choose, choosePoint, climbTo, lookAt, openFolder, useRestore } from '../store/restore-store.ts';
import type { Looking, PointTime } from '../store/restore-store.ts';
import { chosenAs, toggled } from '../store/selection.ts';
import { useTypeAhead } from './use-type-ahead.ts';
import { readingDirectionOf } from '../../../../ui/tables/row-keys.ts';
import { entryAfterKey, TILE_HEIGHT, useColumns } from '../grid/layout.ts';
import type { FolderView } from '../grid/layout.ts';
import { GalleryFrame } from '../grid/gallery-frame.tsx';
import { EntryTiles } from '../grid/entry-tiles.tsx';
import { isPictureName } from '../grid/thumbnails.ts';
import type { WantedPicture } from '../grid/thumbnails.ts';
import { useThumbnails } from '../grid/use-thumbnails.ts';
import { EntryMenu } from './entry-menu.tsx';
import { EntryRow } from './entry-row.tsx';
import { ListHead } from './list-head.tsx';
import { chooseAllHere } from './choose-all-here.ts';
import { copyPath } from './copy-path.ts';
import { isPackage } from '../packages.ts';
import type { GoneEntry } from '../use-gone.ts';
import { useCurrentRow } from './use-current-row.ts';
import { MOST_RANGE, useRange } from './use-range.ts';
import { IS_MAC } from '../../../shared/is-mac.ts';

/** Pixels; entry-browser.css has the same. */
const ROW = 36;
const HEAD = 34;

interface EntryRowsProps {
  readonly source: Looking['source'];
  readonly listing: Listing;
  /** What the folder had before, behind the rows of the listing. */
  readonly gone: readonly GoneEntry[];
  readonly point: PointTime;
  /** Shows the folder at another time. */
  readonly onStep: (direction: 'older' | 'newer') => void;
  /** Reports the current row, with the restore point that has it; `undefined` while there is none. */
  readonly onCurrent: (entry: BrowsedEntry | undefined, at: PointTime) => void;
  /** Saves an entry of a restore point as an archive. */
  readonly onArchive: (entry: BrowsedEntry, at: PointTime) => void;
  readonly view: FolderView;
  /** The destination is away. */
  readonly isAway: boolean;
}

/** An open context menu. */
interface OpenMenu {
  readonly at: MenuPlace;
  readonly index: number;
}

/**
 * The rows of a folder, which stay the same element in every folder, so that the focus stays in them. Keys and the pointer select
 * the current one, which `aria-activedescendant` names.
 */
export function EntryRows(props: EntryRowsProps): ReactElement {
  const { source, listing, gone, point, onStep, onCurrent, onArchive, view, isAway } = props;
  const { restorePoint } = point;
  const { strings, formats } = useLanguage();
  const words = strings.restore.browser;
  const id = useId();
  const { total, kind } = listing.view;
  const ghosts = kind === 'complete' ? gone : [];
  const count = total + ghosts.length;
  const isGrid = view === 'grid';
  const [columns, setColumns] = useState(1);
  const virtual = useVirtualRows(
    Math.ceil(count / columns),
    isGrid ? TILE_HEIGHT : ROW,
    isGrid ? 0 : HEAD,
    isGrid ? 1 : undefined,
  );
  const rowAt = (index: number): BrowsedEntry | GoneEntry | undefined =>
    index < total ? listing.row(index) : ghosts[index - total];
  const { scroller, height, topOf, page } = virtual;
  const [from, to] = [virtual.from * columns, Math.min(virtual.to * columns, count)];
  useColumns(scroller, view, setColumns);
  const reveal = (index: number): void => virtual.reveal(Math.floor(index / columns));
  const { steps, selection, order } = useRestore();
  const { current, mark, move } = useCurrentRow(listing, steps.at(-1)!, reveal);
  const range = useRange(listing, restorePoint);
  const [menu, setMenu] = useState<OpenMenu>();
  const [isTooMuch, setTooMuch] = useState(false);
  useEffect(() => {
    if (total > 0) listing.want(from, Math.min(to, total));
  }, [listing, from, to, total]);
  useEffect(() => {
    reveal(current);
    // The current entry stays visible in the other view.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [view, columns]);

  const go = (index: number): void => {
    setTooMuch(false);
    range.end();
    move(index);
  };
  const typing = useTypeAhead(listing, current, go);
  const press = (index: number): void => {
    typing.end();
    setTooMuch(false);
    range.end();
    mark(index);
  };
  const toggle = (entry: BrowsedEntry | GoneEntry): void => {
    if ('last' in entry) return;
    range.end();
    choose((before) => toggled(before, entry), restorePoint);
  };
  const timeOf = (entry: BrowsedEntry | GoneEntry): PointTime => ('last' in entry ? entry.last : point);
  const open = (entry: BrowsedEntry | GoneEntry, index: number): void => {
    if (isPackage(entry) && !('last' in entry)) toggle(entry);
    else if (entry.type === 'directory') enter(entry, index);
    else look(entry, index, 'content');
  };
  const enter = (entry: BrowsedEntry | GoneEntry, index: number): void => {
    if ('last' in entry) choosePoint(entry.last.restorePoint);
    openFolder(entry, index);
  };
  const look = (entry: BrowsedEntry | GoneEntry, index: number, mode: Looking['mode']): void => {
    if (entry.type !== 'file') return;
    const { restorePoint: shown, madeAt } = timeOf(entry);
    const neighbour: Looking['neighbour'] = (direction) => lookBeside(index, direction === 'next' ? 1 : -1);
    lookAt({ source, path: entry.path, restorePoint: shown, madeAt, entry, mode, neighbour });
  };
  /** Returns what looks at the nearest file in a direction, as far as rows are loaded. */
  const lookBeside = (index: number, step: 1 | -1): (() => void) | undefined => {
    let beside = index + step;
    let entry = rowAt(beside);
    while (entry && entry.type !== 'file') {
      beside += step;
      entry = rowAt(beside);
    }
    if (!entry) return undefined;
    const found = entry;
    return () => {
      go(beside);
      look(found, beside, 'content');
    };
  };
  const extend = (index: number): void => {
    if (index >= total) return;
    setTooMuch(!range.extend(current, index));
    move(index);
  };
  const climb = (): void => climbTo(steps.length - 2);

  const currentEntry = rowAt(current);
  const currentTime = currentEntry ? timeOf(currentEntry) : point;
  useEffect(() => onCurrent(currentEntry, currentTime), [onCurrent, currentEntry, currentTime]);

  /** Handles a key with Ctrl, on a Mac Cmd. */
  const pressWithControl = (key: string, entry: BrowsedEntry | undefined): boolean => {
    if (key.toLowerCase() === 'a') chooseAllHere(listing, restorePoint);
    else if (key.toLowerCase() === 'c' && entry) copyPath(entry);
    else return false;
    return true;
  };

  const pressKey = (event: KeyboardEvent): void => {
    // The names of the columns handle their own keys.
    if (event.target !== event.currentTarget) return;
    const entry = rowAt(current);
    const target = entryAfterKey(event.key, current, { count, columns, page });
    const isMenu = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    if (isMenu) openMenuAt(current);
    else if (event.altKey && event.key === 'ArrowUp') climb();
    else if (isStep(event, '[', 'back', typing.text)) onStep('older');
    else if (isStep(event, ']', 'forward', typing.text)) onStep('newer');
    else if (event.altKey) return;
    else if (event.ctrlKey || event.metaKey) {
      if (!pressWithControl(event.key, entry)) return;
    } else if (target !== undefined && event.shiftKey) extend(target);
    else if (target !== undefined) go(target);
    else if (event.key === 'Enter' && entry) open(entry, current);
    else if (event.key === ' ' && typing.text === '' && entry) toggle(entry);
    else if (event.key === 'Backspace' && typing.text === '') climb();
    else if (typing.press(event.key)) {
      event.preventDefault();
      return;
    } else return;
    typing.end();
    event.preventDefault();
  };

  const openMenuAt = (index: number, pointer?: MenuPlace): void => {
    if (!rowAt(index)) return;
    const row = document.getElementById(`${id}-${index}`)?.getBoundingClientRect();
    const at = pointer ?? (row && { x: row.left + 2 * ROW, y: row.bottom });
    if (at) setMenu({ at, index });
  };

  // Handle presses on all rows.
  const indexAt = ({ target }: MouseEvent): number => {
    const pressed = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    return Number(pressed?.dataset['index'] ?? Number.NaN);
  };
  const isBox = ({ target }: MouseEvent): boolean => (target as Element).closest('[data-part="choose"]') !== null;
  const click = (event: MouseEvent): void => {
    const index = indexAt(event);
    const entry = rowAt(index);
    if (!entry) return;
    if (event.shiftKey) return extend(index);
    // Rows that moved now would not be under the pointer for the second press of a double press.
    press(index);
    if (isBox(event) || event.ctrlKey || event.metaKey) toggle(entry);
  };
  const doubleClick = (event: MouseEvent): void => {
    const index = indexAt(event);
    const entry = rowAt(index);
    if (entry && !isBox(event)) open(entry, index);
  };
  const rightClick = (event: MouseEvent): void => {
    const index = indexAt(event);
    event.preventDefault();
    if (!rowAt(index)) return;
    press(index);
    openMenuAt(index, { x: event.clientX, y: event.clientY });
  };

  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  const pictureOf = (entry: BrowsedEntry | GoneEntry): WantedPicture | undefined => {
    const { path, type, size, modified } = entry;
    if (!isGrid || type !== 'file' || !isPictureName(path, size)) return undefined;
    const { set, device, destination } = source;
    return { file: { set, device, destination, restorePoint: timeOf(entry).restorePoint, path }, size, modified };
  };
  const pictures = drawn.flatMap((index) => {
    const entry = rowAt(index);
    return (entry && pictureOf(entry)) ?? [];
  });
  const thumbnails = useThumbnails(pictures, steps.at(-1)!.path, isGrid && !isAway);
  const menuEntry = menu && rowAt(menu.index);
  return (
    <div className="restore-listing">
      <div
        ref={scroller}
        className="ui-rows restore-rows"
        role="grid"
        tabIndex={0}
        aria-label={words.label}
        aria-describedby={`${id}-keys`}
        aria-multiselectable="true"
        aria-rowcount={isGrid ? Math.ceil(count / columns) : count + 1}
        aria-colcount={isGrid ? columns : 4}
        aria-busy={kind === 'opening'}
        aria-activedescendant={current >= from && current < to ? `${id}-${current}` : undefined}
        onKeyDown={pressKey}
        onClick={click}
        onDoubleClick={doubleClick}
        onContextMenu={rightClick}
      >
        {!isGrid && <ListHead order={order} />}
        <div className="ui-rows-box" role="rowgroup" style={{ height: Math.max(height, ROW) }}>
          {kind === 'opening' && <Skeletons />}
          {kind === 'complete' && count === 0 && <NoRows />}
          {isGrid && (
            <EntryTiles
              id={id}
              from={virtual.from}
              to={virtual.to}
              columns={columns}
              count={count}
              current={current}
              selection={selection}
              topOf={topOf}
              entryAt={rowAt}
              thumbnailOf={(entry) => {
                const picture = pictureOf(entry);
                return picture && thumbnails.of(picture);
              }}
            />
          )}
          {(isGrid ? [] : drawn).map((index) => {
            const entry = rowAt(index);
            return (
              <EntryRow
                key={index}
                id={`${id}-${index}`}
                index={index}
                top={topOf(index)}
                entry={entry}
                chosen={entry ? chosenAs(selection, entry.path) : 'not'}
                isCurrent={index === current}
              />
            );
          })}
        </div>
      </div>
      {thumbnails.address !== undefined && (
        <GalleryFrame key={thumbnails.address} address={thumbnails.address} thumbnails={thumbnails} />
      )}
      <p id={`${id}-keys`} className="ui-hidden">
        {(isGrid ? words.gridKeys : words.keys)(IS_MAC ? '⌘A' : words.controlA)}
      </p>
      {(typing.text !== '' || isTooMuch) && (
        <p className="restore-typing" role="status" data-live-announcer>
          {isTooMuch
            ? words.tooMany(formats.number(MOST_RANGE))
            : typing.isMissed
              ? words.notFound(typing.text)
              : words.jumping(typing.text)}
        </p>
      )}
      {menu && menuEntry && (
        <EntryMenu
          entry={menuEntry}
          at={menu.at}
          isAway={isAway}
          point={timeOf(menuEntry)}
          onOpen={() => (isPackage(menuEntry) ? enter : open)(menuEntry, menu.index)}
          onVersions={() => look(menuEntry, menu.index, 'changes')}
          onArchive={() => onArchive(menuEntry, timeOf(menuEntry))}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  );
}

/** Whether a key steps through time: a bracket, or an arrow with Alt. */
function isStep({ key, altKey }: KeyboardEvent, bracket: string, arrow: 'forward' | 'back', typed: string): boolean {
  return altKey ? readingDirectionOf(key) === arrow : key === bracket && typed === '';
}

function NoRows(): ReactElement {
  const { strings } = useLanguage();
  return (
    <div role="row" className="restore-no-rows ui-soft">
      <span role="gridcell">{strings.restore.browser.empty}</span>
    </div>
  );
}

function Skeletons(): ReactElement {
  const { strings } = useLanguage();
  return (
    <div role="row" className="restore-skeletons">
      <span role="gridcell" className="ui-hidden">
        {strings.common.loading}
      </span>
      {[52, 38, 61, 45, 30].map((width) => (
        <span key={width} aria-hidden="true" className="ui-skeleton restore-skeleton" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
