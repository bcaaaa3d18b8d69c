import { useState } from 'react';
import type { ReactElement } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components';
import type { TimelinePoint } from '../../../../ipc/contract/restore/history.ts';
import type { RestorePoint } from '../../../../model/restore-point.ts';
import type { Language } from '../../../../strings/strings.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { choosePoint } from '../store/restore-store.ts';
import type { Source } from '../store/restore-store.ts';
import { whenOf } from '../points/point-times.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { changesAt } from './use-timeline.ts';
import type { Timeline } from './use-timeline.ts';
import './time-strip.css';

/** Bars of the strip. */
const MOST = 48;
/** Pixels of the lowest and the highest bar. */
const LOWEST = 4;
const HIGHEST = 22;

interface TimeStripProps {
  readonly source: Source;
  /** Newest first. */
  readonly points: readonly RestorePoint[];
  readonly point: RestorePoint;
  readonly timeline: Timeline;
}

/** The restore points in which the open folder changed, oldest first, with what changed in each. */
export function TimeStrip({ source, points, point, timeline }: TimeStripProps): ReactElement | null {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.restore.timeline;
  const [isComparing, setComparing] = useState(false);
  const changed = points.filter((one) => {
    const changes = changesAt(timeline, one);
    return one === point || (changes && countOf(changes) > 0);
  });
  const at = changed.indexOf(point);
  // The chosen one is among them, with what came after it.
  const shown = changed.slice(Math.max(0, at - MOST + 1), Math.max(MOST, at + 1)).toReversed();
  const here = changesAt(timeline, point);
  const most = Math.max(...shown.map((one) => countOf(changesAt(timeline, one))));
  if (timeline.size === 0) return null;
  return (
    <div className="time-strip">
      {shown.length > 1 && (
        <ListBox
          className="time-bars"
          aria-label={words.label}
          orientation="horizontal"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[point.restorePoint]}
          onSelectionChange={(keys) => {
            const [key] = keys === 'all' ? [] : [...keys];
            if (key !== undefined) choosePoint(String(key));
          }}
        >
          {shown.map((one) => {
            const changes = changesAt(timeline, one);
            const text = words.bar(whenOf(points, one, formats), changesText(changes, language));
            const height = LOWEST + ((HIGHEST - LOWEST) * Math.log1p(countOf(changes))) / Math.log1p(Math.max(1, most));
            return (
              <ListBoxItem
                key={one.restorePoint}
                id={one.restorePoint}
                className="time-bar"
                textValue={text}
                aria-label={text}
              >
                <span className="time-bar-hit" title={text}>
                  <span className="time-bar-mark" style={{ height }} />
                </span>
              </ListBoxItem>
            );
          })}
        </ListBox>
      )}
      <p
        className="ui-hint ui-ellipsis time-here"
        role="status"
        data-live-announcer
        title={words.here(changesText(here, language))}
      >
        {words.here(changesText(here, language))}
      </p>
      {points.length > 1 && (
        <Button kind="quiet" onPress={() => setComparing(true)}>
          {words.compare}
        </Button>
      )}
      {isComparing && (
        <CompareDialog source={source} points={points} point={point} onClose={() => setComparing(false)} />
      )}
    </div>
  );
}

function countOf(changes: TimelinePoint | undefined): number {
  return changes ? changes.added + changes.changed + changes.removed : 0;
}

/** `3 added, 1 removed, 4 MB` */
export function changesText(changes: TimelinePoint | undefined, { strings, formats }: Language): string {
  const words = strings.restore.timeline;
  if (!changes) return words.unknown;
  const { added, changed, removed, bytes } = changes;
  if (countOf(changes) === 0) return words.same;
  return formats.series([
    ...(added > 0 ? [words.added(added)] : []),
    ...(changed > 0 ? [words.changed(changed)] : []),
    ...(removed > 0 ? [words.removed(removed)] : []),
    ...(bytes > 0 ? [formats.bytes(bytes)] : []),
  ]);
}
