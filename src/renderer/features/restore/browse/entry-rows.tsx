import { useEffect, useId, useState } from 'react';
import type { KeyboardEvent, MouseEvent, ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { Tick } from '../../../../ui/choices/tick.tsx';
import { useVirtualRows } from '../../../../ui/tables/use-virtual-rows.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Listing } from './listing.ts';
import { choose, climbTo, openFolder, useRestore } from '../store/restore-store.ts';
import { chosenAs, toggled } from '../store/selection.ts';
import type { Chosen } from '../store/selection.ts';
import { useTypeAhead } from './use-type-ahead.ts';
import { rowAfterKey } from '../../../../ui/tables/row-keys.ts';

/** Pixels; entry-browser.css has the same. */
const ROW = 36;
const HEAD = 34;

interface EntryRowsProps {
  readonly listing: Listing;
  readonly restorePoint: string;
  /** Level of the folder below the top. */
  readonly depth: number;
}

/** The rows of a folder. Keys and the pointer select the current one, which `aria-activedescendant` names. */
export function EntryRows({ listing, restorePoint, depth }: EntryRowsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.browser;
  const id = useId();
  const { total, kind } = listing.view;
  const virtual = useVirtualRows(total, ROW, HEAD);
  const { scroller, height, from, to, topOf, reveal } = virtual;
  const [current, setCurrent] = useState(() => useRestore.getState().steps.at(-1)!.row);
  const selection = useRestore((held) => held.selection);
  useEffect(() => listing.want(from, to), [listing, from, to, total]);
  const isKnown = total > current;
  useEffect(() => {
    if (isKnown) reveal(current);
    // Coming back to a folder, the row that was opened is seen again; later on, moving reveals by itself.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isKnown]);

  const move = (index: number): void => {
    setCurrent(index);
    reveal(index);
  };
  const typing = useTypeAhead(listing, current, move);
  const toggle = (entry: BrowsedEntry): void => choose((before) => toggled(before, entry), restorePoint);
  const open = (entry: BrowsedEntry, index: number): void => {
    if (entry.type === 'directory') openFolder(entry, index);
    else toggle(entry);
  };

  const press = (event: KeyboardEvent): void => {
    if (event.altKey && event.key === 'ArrowUp') {
      event.preventDefault();
      climbTo(depth - 1);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const entry = listing.row(current);
    const target = rowAfterKey(event.key, current, virtual);
    if (target !== undefined) move(target);
    else if (event.key === 'Enter' && entry) open(entry, current);
    else if (event.key === ' ' && typing.text === '' && entry) toggle(entry);
    else if (event.key === 'Backspace' && typing.text === '') climbTo(depth - 1);
    else if (!typing.press(event.key)) return;
    event.preventDefault();
  };

  // Handles presses on all rows: a press makes the row current; on its box it selects the entry, elsewhere it opens it.
  const click = ({ target }: MouseEvent): void => {
    const pressed = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    const index = Number(pressed?.dataset['index'] ?? Number.NaN);
    const entry = listing.row(index);
    if (!entry) return;
    setCurrent(index);
    if ((target as Element).closest('[data-part="choose"]')) toggle(entry);
    else open(entry, index);
  };

  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
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
        aria-rowcount={total + 1}
        aria-colcount={4}
        aria-busy={kind === 'opening'}
        aria-activedescendant={current >= from && current < to ? `${id}-${current}` : undefined}
        onKeyDown={press}
        onClick={click}
      >
        <div className="restore-head" role="row" aria-rowindex={1}>
          <span role="columnheader">
            <span className="ui-hidden">{words.choose}</span>
          </span>
          <span role="columnheader">{words.name}</span>
          <span role="columnheader" className="restore-cell-size">
            {words.size}
          </span>
          <span role="columnheader" className="restore-cell-time">
            {words.modified}
          </span>
        </div>
        <div className="ui-rows-box" role="rowgroup" style={{ height: Math.max(height, ROW) }}>
          {kind === 'opening' && <Skeletons />}
          {drawn.map((index) => {
            const entry = listing.row(index);
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
      <p id={`${id}-keys`} className="ui-hidden">
        {words.keys}
      </p>
      {typing.text !== '' && (
        <p className="restore-typing" role="status">
          {typing.isMissed ? words.notFound(typing.text) : words.jumping(typing.text)}
        </p>
      )}
    </div>
  );
}

interface EntryRowProps {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  /** `undefined` while it is loading. */
  readonly entry: BrowsedEntry | undefined;
  readonly chosen: Chosen;
  readonly isCurrent: boolean;
}

function EntryRow(props: EntryRowProps): ReactElement {
  const { id, index, top, entry, chosen, isCurrent } = props;
  const { strings, formats } = useLanguage();
  const words = strings.restore.browser;
  const place = { id, style: { transform: `translateY(${top}px)` }, 'aria-rowindex': index + 2 };
  if (!entry) {
    return (
      <div {...place} role="row" className="ui-rows-one restore-row" aria-busy="true">
        <span role="gridcell" aria-label={strings.common.loading} />
        <span role="gridcell" className="ui-skeleton restore-skeleton" aria-label={strings.common.loading} />
      </div>
    );
  }
  const isIn = chosen === 'chosen' || chosen === 'with-folder';
  return (
    <div
      {...place}
      role="row"
      className="ui-rows-one restore-row"
      data-current={isCurrent ? true : undefined}
      data-type={entry.type}
      aria-selected={isIn}
      data-index={index}
    >
      <span role="gridcell" className="restore-cell-choose" data-part="choose">
        <Tick
          state={chosen === 'not' ? 'off' : chosen === 'partly' ? 'partly' : 'on'}
          isInherited={chosen === 'with-folder'}
        />
        <span className="ui-hidden">
          {chosen === 'chosen' && words.chosen}
          {chosen === 'with-folder' && words.withFolder}
          {chosen === 'partly' && words.partly}
        </span>
      </span>
      <span role="gridcell" className="restore-cell-name" title={entry.name}>
        <Icon name={entry.type === 'directory' ? 'folder' : 'file'} />
        <span className="ui-ellipsis restore-name">{entry.name}</span>
        {entry.type !== 'file' && (
          <span className="ui-hidden">{entry.type === 'directory' ? words.folder : words.link}</span>
        )}
      </span>
      <span role="gridcell" className="restore-cell-size ui-soft ui-number">
        {entry.type === 'file' && formats.bytes(entry.size)}
        {entry.within && (
          <span title={strings.restore.files(entry.within.files)}>{formats.bytes(entry.within.bytes)}</span>
        )}
      </span>
      <span role="gridcell" className="restore-cell-time ui-soft ui-number">
        {formats.dateTime(entry.modified)}
      </span>
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
