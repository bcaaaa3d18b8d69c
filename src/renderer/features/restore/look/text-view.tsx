import type { ReactElement } from 'react';
import { useVirtualRows } from '../../../../ui/tables/use-virtual-rows.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { TextRow } from './text-rows.ts';

/** Pixels; look.css has the same. */
const ROW = 20;

const SIGNS = { same: '', added: '+', removed: '−' } as const;

interface TextViewProps {
  /** Accessible name. */
  readonly label: string;
  readonly rows: readonly TextRow[];
}

/** A text, or the differences of two. It draws the visible rows only. */
export function TextView({ label, rows }: TextViewProps): ReactElement {
  const { scroller, height, from, to, topOf } = useVirtualRows(rows.length, ROW);
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  const longest = rows.reduce((most, row) => (row.kind === 'left-out' ? most : Math.max(most, row.text.length)), 0);
  return (
    <div
      // It scrolls, also by keys.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      ref={scroller}
      className="ui-rows look-text"
      role="region"
      aria-label={label}
    >
      <div className="ui-rows-box" style={{ height, minWidth: `${longest + 4}ch` }}>
        {drawn.map((index) => (
          <Row key={index} row={rows[index]!} top={topOf(index)} />
        ))}
      </div>
    </div>
  );
}

function Row({ row, top }: { readonly row: TextRow; readonly top: number }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.look;
  const place = { className: 'ui-rows-one look-row', style: { transform: `translateY(${top}px)` } };
  if (row.kind === 'left-out') {
    return (
      <div {...place} data-kind={row.kind}>
        {words.sameLines(row.lines)}
      </div>
    );
  }
  return (
    <div {...place} data-kind={row.kind}>
      {row.kind !== 'same' && <span className="ui-hidden">{words[row.kind]} </span>}
      <span className="look-sign" aria-hidden="true">
        {SIGNS[row.kind]}
      </span>
      {row.text}
    </div>
  );
}
