import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import type { RestorePoint } from '../../../../model/restore-point.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { isolatedName } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { useNow } from '../../../shared/use-now.ts';
import { ChosenBar } from './chosen-bar.tsx';
import { EntryRows } from './entry-rows.tsx';
import { FolderPath } from './folder-path.tsx';
import { recentPoints } from '../points/recent-points.ts';
import { useGone } from '../use-gone.ts';
import { Listing } from './listing.ts';
import { useFolderView } from '../grid/layout.ts';
import { ViewSwitch } from '../grid/view-switch.tsx';
import { saveArchive } from '../outside/save-archive.ts';
import { PointChoice } from '../dialog/point-choice.tsx';
import { RestoreDialog } from '../dialog/restore-dialog.tsx';
import { askAt, currentOrder, leaveMissingFolder, setAsking, useRestore } from '../store/restore-store.ts';
import type { Asking, PointTime, Source } from '../store/restore-store.ts';
import { chosenOnly, useChosenEntries } from '../store/use-chosen-entries.ts';
import { useObservable } from '../../../shared/observable.ts';
import './entry-browser.css';

interface EntryBrowserProps {
  readonly source: Source;
  /** Newest first. */
  readonly points: readonly RestorePoint[];
  readonly point: RestorePoint;
  /** Shows the open folder at another time. */
  readonly onStep: (direction: 'older' | 'newer') => void;
  /** The name of the destination while it is away, so that nothing can be fetched. */
  readonly away: string | undefined;
}

/** The folders and files of a restore point, to select from. */
export function EntryBrowser({ source, points, point, onStep, away }: EntryBrowserProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore;
  const steps = useRestore((held) => held.steps);
  const gone = useRestore((held) => held.gone);
  const asking = useRestore((held) => held.asking);
  const order = useRestore((held) => held.order);
  const element = useRef<HTMLDivElement>(null);
  const now = useNow();
  const { path } = steps.at(-1)!;
  const { set, device, destination } = source;
  const { restorePoint } = point;
  const listing = useMemo(
    () => new Listing({ set, restorePoint, path, device, destination }, currentOrder()),
    [set, device, destination, restorePoint, path],
  );
  useEffect(() => {
    listing.start();
    return () => listing.close();
  }, [listing]);
  useEffect(() => {
    listing.sort(order);
  }, [listing, order]);
  useObservable(listing);
  const { kind, total, failure } = listing.view;
  const isMissing = failure?.code === 'path_not_found' && steps.length > 1;
  useEffect(() => {
    if (isMissing) leaveMissingFolder();
  }, [isMissing]);
  const chosen = useChosenEntries(source, restorePoint);
  const before = useGone(source, restorePoint, path);
  const [current, setCurrent] = useState<Asking['only']>();
  const keepCurrent = useCallback(
    (entry: BrowsedEntry | undefined, at: PointTime): void => setCurrent(entry && { entry, at }),
    [],
  );
  const [view, setView] = useFolderView();
  const archiving = useAction();
  const archive = (entry: BrowsedEntry, at: PointTime): void => {
    const place = { source, restorePoint: at.restorePoint, when: formats.dateTime(at.madeAt) };
    archiving.run(() => saveArchive(place, chosenOnly(entry)));
  };
  const only = asking?.only;
  const shown = only?.at ?? point;
  const asked = points.find((one) => one.restorePoint === shown.restorePoint);
  const offered = asked && asking ? recentPoints(points, asked, new Date(now)) : [];
  // The pressed part of the path is gone or disabled afterwards.
  const focusRows = (): void => element.current?.querySelector<HTMLElement>('[role="grid"]')?.focus();
  return (
    <div className="restore-browser" ref={element}>
      <div className="restore-where">
        <FolderPath steps={steps} onClimbed={focusRows} />
        {/* The number of entries is announced when it is known, not while it grows. */}
        <span className="ui-hidden" role="status" data-live-announcer>
          {kind === 'complete' && words.browser.entries(total)}
        </span>
        <div className="restore-shown">
          <span className="ui-soft ui-small ui-number restore-count" aria-hidden={kind === 'complete'}>
            {kind === 'reading' && words.browser.reading(words.browser.entries(total))}
            {kind === 'complete' && words.browser.entries(total)}
            {kind === 'complete' && before.length > 0 && ` · ${words.browser.deletedBefore(before.length)}`}
          </span>
          <ViewSwitch view={view} onChange={setView} />
        </div>
      </div>
      {gone && (
        <Notice tone="plain">
          <p>{words.browser.gone(isolatedName(gone.name))}</p>
        </Notice>
      )}
      {kind === 'failed' && !isMissing ? (
        <FailureNotice failure={failure} onRetry={() => listing.start()} />
      ) : (
        <EntryRows
          source={source}
          listing={listing}
          gone={before}
          point={point}
          onStep={onStep}
          onCurrent={keepCurrent}
          onArchive={archive}
          view={view}
          isAway={away !== undefined}
        />
      )}
      <FailureNotice failure={archiving.failure} />
      <ChosenBar
        {...chosen}
        source={source}
        point={point}
        current={kind === 'failed' ? undefined : current}
        away={away}
      />
      {asking && (
        <RestoreDialog
          source={source}
          restorePoint={shown.restorePoint}
          when={formats.when(shown.madeAt)}
          chosen={only ? chosenOnly(only.entry) : chosen}
          times={
            asked && offered.length > 1 ? (
              <PointChoice points={points} offered={offered} point={asked} onChoose={askAt} />
            ) : undefined
          }
          asking={asking}
          onClose={() => setAsking(undefined)}
        />
      )}
    </div>
  );
}
