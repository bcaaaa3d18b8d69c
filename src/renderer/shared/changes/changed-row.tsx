import type { ReactElement } from 'react';
import type { ChangedEntry } from '../../../ipc/contract/restore/history.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { Language } from '../../../strings/strings.ts';
import { PathText } from '../path-text.tsx';
import { readablePath } from '../readable-path.ts';
import { useLanguage } from '../use-language.ts';
import { sumsText } from './sums-text.ts';
import type { ChangedLine } from './use-changed-folders.ts';

interface ChangedRowProps {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly line: ChangedLine;
  readonly isCurrent: boolean;
}

const MARKS: Readonly<Record<ChangedEntry['state'], string>> = { added: '+', changed: '±', removed: '−', within: '' };

/** A row of the tree of changes. */
export function ChangedRow({ id, index, top, line, isCurrent }: ChangedRowProps): ReactElement {
  const language = useLanguage();
  const { strings } = language;
  const words = strings.activity.changes;
  const common = {
    id,
    role: 'treeitem',
    'aria-level': line.level,
    'data-index': index,
    'data-current': isCurrent ? true : undefined,
    style: { transform: `translateY(${top}px)`, paddingInlineStart: `${0.25 + (line.level - 1) * 1.25}rem` },
  } as const;
  if (line.kind !== 'entry') {
    return (
      <div {...common} className="ui-rows-one act-change act-change-note">
        {line.kind === 'more' ? words.more(line.left) : strings.common.loading}
      </div>
    );
  }
  const { entry, isOpen } = line;
  const { name, path, isFolder, state } = entry;
  return (
    <div
      {...common}
      className="ui-rows-one act-change"
      data-state={state}
      aria-expanded={isFolder ? isOpen : undefined}
      title={readablePath(path)}
    >
      <span className="act-change-fold" data-open={isOpen ? true : undefined}>
        {isFolder && <Icon name="right" />}
      </span>
      <span className="act-change-mark" aria-hidden>
        {MARKS[state]}
      </span>
      <Icon name={isFolder ? 'folder' : 'file'} />
      <span className="ui-ellipsis act-change-name" dir="auto">
        <PathText path={name} />
      </span>
      {state !== 'within' && <span className="ui-hidden">, {words.states[state]}</span>}
      <span className="act-change-sums ui-number">{figureOf(entry, language)}</span>
    </div>
  );
}

function figureOf({ isFolder, state, sums }: ChangedEntry, language: Language): string {
  if (isFolder) return sumsText(sums, language);
  const { formats, strings } = language;
  const { bytesBefore, bytesAfter } = sums;
  if (state !== 'changed') return formats.bytes(Math.max(bytesBefore, bytesAfter));
  return bytesBefore === bytesAfter
    ? formats.bytes(bytesAfter)
    : strings.activity.changes.sizes(formats.bytes(bytesBefore), formats.bytes(bytesAfter));
}
