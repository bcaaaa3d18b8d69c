import type { ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import type { GoneEntry } from '../use-gone.ts';
import { chosenAs } from '../store/selection.ts';
import type { Selection } from '../store/selection.ts';
import { EntryTile } from './entry-tile.tsx';
import type { Thumbnail } from './thumbnails.ts';
import './grid.css';

interface EntryTilesProps {
  /** Beginning of the ids of the tiles. */
  readonly id: string;
  /** The drawn rows are `from` to `to - 1`. */
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  /** Of all entries. */
  readonly count: number;
  readonly current: number;
  readonly selection: Selection;
  readonly topOf: (row: number) => number;
  readonly entryAt: (index: number) => BrowsedEntry | GoneEntry | undefined;
  readonly thumbnailOf: (entry: BrowsedEntry | GoneEntry) => Thumbnail | undefined;
}

/** The entries of a folder side by side. */
export function EntryTiles(props: EntryTilesProps): ReactElement {
  const { id, from, to, columns, count, current, selection, topOf, entryAt, thumbnailOf } = props;
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
  return (
    <>
      {rows.map((row) => (
        <div
          key={row}
          role="row"
          aria-rowindex={row + 1}
          className="restore-tiles"
          style={{
            transform: `translateY(${topOf(row)}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {Array.from({ length: Math.min(columns, count - row * columns) }, (_, column) => {
            const index = row * columns + column;
            const entry = entryAt(index);
            return (
              <EntryTile
                key={index}
                id={`${id}-${index}`}
                index={index}
                column={column + 1}
                entry={entry}
                chosen={entry ? chosenAs(selection, entry.path) : 'not'}
                isCurrent={index === current}
                thumbnail={entry && thumbnailOf(entry)}
              />
            );
          })}
        </div>
      ))}
    </>
  );
}
