import type { ReactElement } from 'react';
import { Icon } from '../../../../ui/icon.tsx';
import { Tick } from '../../../../ui/choices/tick.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import type { TreeLine } from './folder-nodes.ts';
import type { FolderSize } from './folder-sizes.ts';
import type { Inclusion } from '../draft/inclusion.ts';

interface FolderLineProps {
  readonly id: string;
  readonly top: number;
  readonly line: TreeLine;
  readonly isCurrent: boolean;
  readonly inclusion: Inclusion;
  /** Size of an included folder, as counted so far. */
  readonly size: FolderSize | undefined;
}

const CHECKED: Readonly<Record<Inclusion, 'true' | 'mixed' | 'false'>> = {
  included: 'true',
  partly: 'mixed',
  excluded: 'false',
  outside: 'false',
};

const TICKS = { included: 'on', partly: 'partly', excluded: 'off', outside: 'off' } as const;

/** A line of the tree of folders. */
export function FolderLine({ id, top, line, isCurrent, inclusion, size }: FolderLineProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.sets.what;
  const style = { transform: `translateY(${top}px)`, paddingInlineStart: `${0.25 + (line.level - 1) * 1.25}rem` };
  const current = isCurrent ? true : undefined;
  if (line.kind !== 'entry') {
    const text = {
      loading: strings.common.loading,
      empty: words.empty,
      truncated: words.truncated,
      failed: words.unreadable,
    }[line.kind];
    return (
      <div
        id={id}
        role="treeitem"
        aria-level={line.level}
        className="ui-rows-one set-line set-line-note"
        data-current={current}
        style={style}
      >
        {text}
      </div>
    );
  }
  const { entry, isExpanded, position, siblings } = line;
  const canOpen = entry.kind === 'folder' && entry.isReadable;
  const figure = entry.kind === 'folder' ? size : { bytes: entry.bytes ?? Number.NaN, isDone: true };
  return (
    <div
      id={id}
      role="treeitem"
      className="ui-rows-one set-line"
      style={style}
      data-key={line.key}
      data-current={current}
      data-inclusion={inclusion}
      aria-level={line.level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-checked={CHECKED[inclusion]}
      aria-expanded={canOpen ? isExpanded : undefined}
      title={entry.path}
    >
      <span className="set-fold" data-open={isExpanded ? true : undefined}>
        {canOpen && <Icon name="right" />}
      </span>
      <span className="set-tick" data-part="check">
        <Tick state={TICKS[inclusion]} />
      </span>
      <Icon name={entry.kind === 'folder' ? 'folder' : 'file'} />
      <span className="ui-ellipsis set-line-name" dir="auto">
        {entry.name}
      </span>
      {!entry.isReadable && <span className="ui-hint">{words.unreadable}</span>}
      {inclusion === 'excluded' && <span className="ui-hint">{words.leftOut}</span>}
      <span className="set-line-size ui-number" data-growing={figure?.isDone === false ? true : undefined}>
        {isKnown(figure) && formats.bytes(figure.bytes)}
      </span>
    </div>
  );
}

/** Nothing counted yet is no size. */
function isKnown(size: FolderSize | undefined): size is FolderSize {
  return size !== undefined && !Number.isNaN(size.bytes) && (size.isDone || size.bytes > 0);
}
