import type { ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { Tick } from '../../../../ui/choices/tick.tsx';
import { PathText } from '../../../shared/path-text.tsx';
import { readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { isPackage } from '../packages.ts';
import type { GoneEntry } from '../use-gone.ts';
import type { Chosen } from '../store/selection.ts';

interface EntryRowProps {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  /** `undefined` while it is loading. */
  readonly entry: BrowsedEntry | GoneEntry | undefined;
  readonly chosen: Chosen;
  readonly isCurrent: boolean;
}

/** A folder, file or link. */
export function EntryRow(props: EntryRowProps): ReactElement {
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
  const last = 'last' in entry ? entry.last : undefined;
  const isWhole = isPackage(entry);
  const isIn = chosen === 'chosen' || chosen === 'with-folder';
  return (
    <div
      {...place}
      role="row"
      className="ui-rows-one restore-row"
      data-current={isCurrent ? true : undefined}
      data-type={entry.type}
      data-gone={last === undefined ? undefined : true}
      aria-selected={isIn}
      data-index={index}
    >
      <span role="gridcell" className="restore-cell-choose" data-part="choose">
        {last === undefined && (
          <Tick
            state={chosen === 'not' ? 'off' : chosen === 'partly' ? 'partly' : 'on'}
            isInherited={chosen === 'with-folder'}
          />
        )}
        <span className="ui-hidden">
          {chosen === 'chosen' && words.chosen}
          {chosen === 'with-folder' && words.withFolder}
          {chosen === 'partly' && words.partly}
        </span>
      </span>
      <span role="gridcell" className="restore-cell-name" title={readablePath(entry.name)}>
        <Icon name={isWhole ? 'package' : entry.type === 'directory' ? 'folder' : 'file'} />
        <span className="ui-ellipsis restore-name" dir="auto">
          <PathText path={entry.name} />
        </span>
        {last !== undefined && <span className="ui-hidden">{words.deleted}</span>}
        {isWhole && <span className="restore-kind ui-soft">{words.package}</span>}
        {entry.type !== 'file' && !isWhole && (
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
        {last === undefined ? formats.dateTime(entry.modified) : words.last(formats.when(last.madeAt))}
      </span>
    </div>
  );
}
