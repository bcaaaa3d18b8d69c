import { useEffect, useId, useState } from 'react';
import type { KeyboardEvent, MouseEvent, ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import type { MenuPlace } from '../../../../ui/buttons/context-menu.tsx';
import { readingDirectionOf } from '../../../../ui/tables/row-keys.ts';
import { useVirtualRows } from '../../../../ui/tables/use-virtual-rows.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Listing } from './listing.ts';
import { climbTo, useRestore } from '../store/restore-store.ts';
import type { Looking, PointTime } from '../store/restore-store.ts';
import { chosenAs } from '../store/selection.ts';
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
import { hasModifier, keyCommand } from './key-command.ts';
import type { KeyCommand } from './key-command.ts';
import { NoRows, Skeletons } from './row-placeholders.tsx';
import { isPackage } from '../packages.ts';
import type { GoneEntry } from '../use-gone.ts';
import { useCurrentRow } from './use-current-row.ts';
import { MOST_RANGE } from './use-range.ts';
import { timeOf, useRowActions } from './use-row-actions.ts';
import type { ShownEntry } from './use-row-actions.ts';
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
  const entryAt = (index: number): ShownEntry | undefined =>
    index < total ? listing.row(index) : ghosts[index - total];
  const { scroller, height, topOf, page } = virtual;
  const [from, to] = [virtual.from * columns, Math.min(virtual.to * columns, count)];
  useColumns(scroller, view, setColumns);
  const reveal = (index: number): void => virtual.reveal(Math.floor(index / columns));
  const { steps, selection, order } = useRestore();
  const row = useCurrentRow(listing, steps.at(-1)!, reveal);
  const { current } = row;
  const actions = useRowActions({ source, listing, point, row, entryAt });
  const { typing, isTooMuch } = actions;
  const [menu, setMenu] = useState<OpenMenu>();
  useEffect(() => {
    if (total > 0) listing.want(from, Math.min(to, total));
  }, [listing, from, to, total]);
  useEffect(() => {
    reveal(current);
    // The current entry stays visible in the other view.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [view, columns]);

  const currentEntry = entryAt(current);
  const currentTime = currentEntry ? timeOf(currentEntry, point) : point;
  useEffect(() => onCurrent(currentEntry, currentTime), [onCurrent, currentEntry, currentTime]);

  const perform = (command: KeyCommand): void => {
    switch (command.kind) {
      case 'menu':
        return openMenuAt(current);
      case 'climb':
        return climbTo(steps.length - 2);
      case 'older':
      case 'newer':
        return onStep(command.kind);
      case 'choose-all':
        return chooseAllHere(listing, restorePoint);
      case 'go':
        return actions.go(command.to);
      case 'extend':
        return actions.extend(command.to);
      case 'copy':
        return currentEntry && copyPath(currentEntry);
      case 'open':
        return currentEntry && actions.open(currentEntry, current);
      case 'toggle':
        return currentEntry && actions.toggle(currentEntry);
    }
  };
  const pressKey = (event: KeyboardEvent): void => {
    // The names of the columns handle their own keys.
    if (event.target !== event.currentTarget) return;
    const command = keyCommand(event, {
      hasEntry: currentEntry !== undefined,
      to: entryAfterKey(event.key, current, { count, columns, page }),
      direction: readingDirectionOf(event.key),
      typed: typing.text,
    });
    if (command) {
      perform(command);
      typing.end();
    } else if (hasModifier(event) || !typing.press(event.key)) return;
    event.preventDefault();
  };

  const openMenuAt = (index: number, pointer?: MenuPlace): void => {
    if (!entryAt(index)) return;
    const box = document.getElementById(`${id}-${index}`)?.getBoundingClientRect();
    const at = pointer ?? (box && { x: box.left + 2 * ROW, y: box.bottom });
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
    const entry = entryAt(index);
    if (!entry) return;
    if (event.shiftKey) return actions.extend(index);
    // Rows that moved now would not be under the pointer for the second press of a double press.
    actions.press(index);
    if (isBox(event) || event.ctrlKey || event.metaKey) actions.toggle(entry);
  };
  const doubleClick = (event: MouseEvent): void => {
    const index = indexAt(event);
    const entry = entryAt(index);
    if (entry && !isBox(event)) actions.open(entry, index);
  };
  const rightClick = (event: MouseEvent): void => {
    const index = indexAt(event);
    event.preventDefault();
    if (!entryAt(index)) return;
    actions.press(index);
    openMenuAt(index, { x: event.clientX, y: event.clientY });
  };

  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  const pictureOf = (entry: ShownEntry): WantedPicture | undefined => {
    const { path, type, size, modified } = entry;
    if (!isGrid || type !== 'file' || !isPictureName(path, size)) return undefined;
    const { set, device, destination } = source;
    return {
      file: { set, device, destination, restorePoint: timeOf(entry, point).restorePoint, path },
      size,
      modified,
    };
  };
  const pictures = drawn.flatMap((index) => {
    const entry = entryAt(index);
    return (entry && pictureOf(entry)) ?? [];
  });
  const thumbnails = useThumbnails(pictures, steps.at(-1)!.path, isGrid && !isAway);
  const menuEntry = menu && entryAt(menu.index);
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
              entryAt={entryAt}
              thumbnailOf={(entry) => {
                const picture = pictureOf(entry);
                return picture && thumbnails.of(picture);
              }}
            />
          )}
          {(isGrid ? [] : drawn).map((index) => {
            const entry = entryAt(index);
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
          point={timeOf(menuEntry, point)}
          onOpen={() => (isPackage(menuEntry) ? actions.enter : actions.open)(menuEntry, menu.index)}
          onVersions={() => actions.look(menuEntry, menu.index, 'changes')}
          onArchive={() => onArchive(menuEntry, timeOf(menuEntry, point))}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  );
}
