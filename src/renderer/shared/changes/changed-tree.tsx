import { useId, useState } from 'react';
import type { KeyboardEvent, MouseEvent, ReactElement } from 'react';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { readingDirectionOf, rowAfterKey } from '../../../ui/tables/row-keys.ts';
import { useVirtualRows } from '../../../ui/tables/use-virtual-rows.ts';
import { useLanguage } from '../use-language.ts';
import { ChangedRow } from './changed-row.tsx';
import { useChangedFolders } from './use-changed-folders.ts';
import type { ChangedLine, Compared } from './use-changed-folders.ts';

/** Pixels; changes.css has the same. */
const ROW = 32;
/** The list scrolls if it has more rows. */
const TALLEST = 12;
const BORDER = 1;

interface ChangedTreeProps {
  readonly compared: Compared;
  readonly top: Parameters<typeof useChangedFolders>[1];
  /** All folders are open at first: there are few. */
  readonly isShort?: boolean;
}

/** What changed between two restore points, by folders. Keys and the pointer select the current row. */
export function ChangedTree({ compared, top, isShort = false }: ChangedTreeProps): ReactElement {
  const words = useLanguage().strings.activity.changes;
  const id = useId();
  const { lines, failure, toggle, loadMore } = useChangedFolders(compared, top, isShort);
  const virtual = useVirtualRows(lines.length, ROW);
  const { scroller, height, from, to, topOf, reveal } = virtual;
  const [currentKey, setCurrentKey] = useState<string>();
  const current = Math.max(
    0,
    lines.findIndex(({ key }) => key === currentKey),
  );
  const move = (index: number): void => {
    setCurrentKey(lines[index]?.key);
    reveal(index);
  };
  const act = (line: ChangedLine | undefined): void => {
    if (line?.kind === 'more') loadMore(line.folder);
    else if (line?.kind === 'entry' && line.entry.isFolder) toggle(line.key, !line.isOpen);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line = lines[current];
    const isFolder = line?.kind === 'entry' && line.entry.isFolder;
    const target = rowAfterKey(event.key, current, virtual);
    if (target !== undefined) move(target);
    else if (event.key === 'Enter' || event.key === ' ') act(line);
    else if (readingDirectionOf(event.key) === 'forward' && isFolder) {
      if (line.isOpen) move(Math.min(lines.length - 1, current + 1));
      else toggle(line.key, true);
    } else if (readingDirectionOf(event.key) === 'back' && line) {
      if (isFolder && line.isOpen) toggle(line.key, false);
      else move(folderOf(lines, current));
    } else return;
    event.preventDefault();
  };
  const click = ({ target }: MouseEvent): void => {
    const pressed = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    if (!pressed) return;
    const line = lines[Number(pressed.dataset['index'])];
    setCurrentKey(line?.key);
    act(line);
  };
  return (
    <>
      <div
        ref={scroller}
        className="ui-rows"
        role="tree"
        tabIndex={0}
        aria-label={words.title}
        aria-activedescendant={current >= from && current < to ? `${id}-${current}` : undefined}
        style={{ height: Math.min(lines.length, TALLEST) * ROW + 2 * BORDER }}
        onKeyDown={press}
        onClick={click}
      >
        <div className="ui-rows-box" role="none" style={{ height }}>
          {lines.slice(from, to).map((line, offset) => {
            const index = from + offset;
            return (
              <ChangedRow
                key={line.key}
                id={`${id}-${index}`}
                index={index}
                top={topOf(index)}
                line={line}
                isCurrent={index === current}
              />
            );
          })}
        </div>
      </div>
      <FailureNotice failure={failure} />
    </>
  );
}

function folderOf(lines: readonly ChangedLine[], index: number): number {
  const { level } = lines[index]!;
  for (let above = index - 1; above >= 0; above -= 1) if (lines[above]!.level < level) return above;
  return index;
}
