import { useLayoutEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { Tick } from '../../../../ui/choices/tick.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import type { IconName } from '../../../../ui/icon.tsx';
import { PathText } from '../../../shared/path-text.tsx';
import { readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { isPackage } from '../packages.ts';
import type { GoneEntry } from '../use-gone.ts';
import type { Chosen } from '../store/selection.ts';
import { isPictureName } from './thumbnails.ts';
import type { Thumbnail } from './thumbnails.ts';

interface EntryTileProps {
  readonly id: string;
  readonly index: number;
  /** Counts from 1. */
  readonly column: number;
  /** `undefined` while it is loading. */
  readonly entry: BrowsedEntry | GoneEntry | undefined;
  readonly chosen: Chosen;
  readonly isCurrent: boolean;
  readonly thumbnail: Thumbnail | undefined;
}

/** A folder, file or link in the grid: its picture or icon over its name. */
export function EntryTile(props: EntryTileProps): ReactElement {
  const { id, index, column, entry, chosen, isCurrent, thumbnail } = props;
  const { strings, formats } = useLanguage();
  const words = strings.restore.browser;
  if (!entry) {
    return (
      <div id={id} role="gridcell" aria-colindex={column} className="restore-tile" aria-busy="true">
        <span className="ui-skeleton restore-tile-picture" aria-label={strings.common.loading} />
      </div>
    );
  }
  const last = 'last' in entry ? entry.last : undefined;
  const isIn = chosen === 'chosen' || chosen === 'with-folder';
  const isWhole = isPackage(entry);
  const size = entry.type === 'file' ? entry.size : isWhole ? entry.within?.bytes : undefined;
  const facts = [isWhole && words.package, size !== undefined && formats.bytes(size)].filter(Boolean).join(' · ');
  return (
    <div
      id={id}
      role="gridcell"
      aria-colindex={column}
      aria-selected={isIn}
      className="restore-tile"
      data-index={index}
      data-current={isCurrent ? true : undefined}
      data-type={entry.type}
      data-gone={last === undefined ? undefined : true}
    >
      <span className="restore-tile-picture">
        {thumbnail === undefined || thumbnail === 'none' ? (
          <Icon name={iconOf(entry)} />
        ) : (
          <Picture thumbnail={thumbnail} />
        )}
        {last === undefined && (
          <span className="restore-tile-choose" data-part="choose">
            <Tick
              state={chosen === 'not' ? 'off' : chosen === 'partly' ? 'partly' : 'on'}
              isInherited={chosen === 'with-folder'}
            />
          </span>
        )}
      </span>
      {/* A title of the cell would be read after its name. */}
      <span className="ui-ellipsis restore-tile-name" dir="auto" title={readablePath(entry.name)}>
        <PathText path={entry.name} />
      </span>{' '}
      <span className="ui-hint ui-number ui-ellipsis">
        {last === undefined ? facts : words.last(formats.when(last.madeAt))}
      </span>{' '}
      <span className="ui-hidden">
        {chosen === 'chosen' && words.chosen}
        {chosen === 'with-folder' && words.withFolder}
        {chosen === 'partly' && words.partly}
        {last !== undefined && words.deleted}
        {entry.type === 'directory' && !isWhole && words.folder}
        {entry.type === 'symlink' && words.link}
      </span>
    </div>
  );
}

/** A picture that is not drawn yet, or cannot be, is told from other files. */
function iconOf(entry: BrowsedEntry): IconName {
  const { type, name, size } = entry;
  if (isPackage(entry)) return 'package';
  if (type === 'directory') return 'folder';
  return isPictureName(name, size) ? 'picture' : 'file';
}

/** Pixels that a sandboxed frame has drawn. The name stands below. */
function Picture({ thumbnail }: { readonly thumbnail: Exclude<Thumbnail, 'none'> }): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, pixels } = thumbnail;
  useLayoutEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
  }, [pixels, width, height]);
  return <canvas ref={canvas} className="restore-thumbnail" width={width} height={height} aria-hidden="true" />;
}
