import type { CSSProperties, ReactElement, ReactNode } from 'react';
import { useVirtualRows } from './use-virtual-rows.ts';

interface VirtualListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** Pixels. */
  readonly rowHeight: number;
  readonly className?: string;
  readonly rowClassName: string;
  readonly style?: CSSProperties;
  readonly keyOf: (item: Item, index: number) => string | number;
  readonly children: (item: Item) => ReactNode;
}

/** A list of any length to scroll through and read. It draws the visible rows only. */
export function VirtualList<Item>(props: VirtualListProps<Item>): ReactElement {
  const { label, items, rowHeight, className = '', rowClassName, style, keyOf, children } = props;
  const { scroller, height, from, to, topOf } = useVirtualRows(items.length, rowHeight);
  return (
    <div
      // It scrolls, also by keys.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={`ui-rows ${className}`}
      ref={scroller}
      role="region"
      aria-label={label}
      style={style}
    >
      <ul className="ui-rows-box" style={{ height }}>
        {items.slice(from, to).map((item, offset) => (
          <li
            key={keyOf(item, from + offset)}
            className={`ui-rows-one ${rowClassName}`}
            style={{ height: rowHeight, transform: `translateY(${topOf(from + offset)}px)` }}
            aria-setsize={items.length}
            aria-posinset={from + offset + 1}
          >
            {children(item)}
          </li>
        ))}
      </ul>
    </div>
  );
}
