import { useEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { RestorePoint } from '../../../model/restore-point.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { Select } from '../../../ui/choices/select.tsx';
import { useCall } from '../../bridge/use-call.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { EntryBrowser } from './browse/entry-browser.tsx';
import { FoundFiles } from './find/found-files.tsx';
import { LookDialog } from './look/look-dialog.tsx';
import { MountNotices } from './outside/mount-notices.tsx';
import { AwayNotice } from './points/away-notice.tsx';
import { PointPicker } from './points/point-picker.tsx';
import { UnlistedPoints } from './points/unlisted-points.tsx';
import { RestoreRun } from './run/restore-run.tsx';
import { UndoLast } from './run/undo-last.tsx';
import {
  chooseDestination,
  choosePoint,
  chooseSource,
  setAsking,
  setSearch,
  setStarted,
  setUnknownPath,
  useRestore,
} from './store/restore-store.ts';
import type { Source } from './store/restore-store.ts';
import { TimeStrip } from './time/time-strip.tsx';
import { steppedPoint, useTimeline } from './time/use-timeline.ts';
import { WaitingRestore } from './run/waiting-restore.tsx';
import { useOnChange } from '../../shared/use-on-change.ts';
import { focusLateView, VIEW_TITLE } from '../../shared/view-title.ts';
import './restore.css';

interface RestoreViewProps {
  readonly onView: (view: View) => void;
}

/** Selects a set, a restore point and the entries to restore. */
export function RestoreView({ onView }: RestoreViewProps): ReactElement {
  const { strings } = useLanguage();
  const started = useRestore((held) => held.started);
  const running = useAppState((state) => state.runs.find(({ kind }) => kind === 'restore' || kind === 'export')?.id);
  const run = started?.run ?? running;
  const wasRunning = useRef(run !== undefined);
  useEffect(() => {
    if (wasRunning.current !== (run !== undefined)) focusLateView();
    wasRunning.current = run !== undefined;
  }, [run]);
  // A restore that was started elsewhere is shown here until the person closes its result.
  useEffect(() => {
    if (!started && running !== undefined) setStarted({ run: running, request: undefined });
  }, [started, running]);
  return (
    <div className="restore">
      <header className="ui-stack-tight">
        <h1 id={VIEW_TITLE}>{strings.common.views.restore}</h1>
      </header>
      <UnknownPath />
      <WaitingRestore />
      {run === undefined && <UnlistedPoints onView={onView} />}
      <MountNotices />
      {run === undefined && <UndoLast />}
      {run === undefined ? <Choice /> : <RestoreRun key={run} run={run} request={started?.request} />}
    </div>
  );
}

/** Says that the path from a file manager is in no set. */
function UnknownPath(): ReactElement | null {
  const { strings } = useLanguage();
  const path = useRestore((held) => held.unknownPath);
  if (path === undefined) return null;
  return (
    <Notice tone="warning">
      <div className="ui-between">
        <p>{strings.restore.unknownPath(path)}</p>
        <Button onPress={() => setUnknownPath(undefined)}>{strings.common.close}</Button>
      </div>
    </Notice>
  );
}

/** Browsing, or what was found instead. The dialog stands on the browsed restore point. */
function Choice(): ReactElement {
  const { strings } = useLanguage();
  const search = useRestore((held) => held.search);
  const isAsking = useRestore((held) => held.asking !== undefined);
  const looking = useRestore((held) => held.looking);
  const words = strings.restore.find;
  const isFinding = search.trim() !== '';
  return (
    <>
      <SearchField label={words.field} placeholder={words.hint} value={search} onChange={setSearch} />
      {(!isFinding || isAsking) && <Sources />}
      {isFinding && (
        // What was found stays focusable under the dialog, which returns the focus to it.
        <div className={isAsking ? 'ui-hidden' : 'restore-found'}>
          <FoundFiles text={search} />
        </div>
      )}
      {looking && <LookDialog key={`${looking.path} ${looking.restorePoint}`} looking={looking} />}
    </>
  );
}

const NEAREST = 'nearest';

function Sources(): ReactElement {
  const { strings } = useLanguage();
  const destinations = useAppState((state) => state.destinations) ?? [];
  const held = useRestore((state) => state.destination);
  const destination = destinations.length > 1 ? destinations.find(({ id }) => id === held)?.id : undefined;
  const sources = useCall('restore.sources', { destination });
  const menu = destinations.length > 1 && (
    <div className="restore-source">
      <Select
        label={strings.restore.destination}
        isLabelHidden
        value={destination ?? NEAREST}
        options={[
          { value: NEAREST, label: strings.restore.nearest },
          ...destinations.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(id) => chooseDestination(id === NEAREST ? undefined : id)}
      />
    </div>
  );
  return (
    <>
      {sources.kind === 'ready' && sources.value.sources.length > 0 ? null : menu}
      <Loaded resource={sources}>
        {({ sources: all }) =>
          all.length === 0 ? (
            <Empty icon="restore" title={strings.restore.none}>
              {strings.restore.noneHint}
            </Empty>
          ) : (
            <SourceChoice sources={all} destination={destination} menu={menu} />
          )
        }
      </Loaded>
    </>
  );
}

interface SourceChoiceProps {
  readonly sources: readonly Source[];
  readonly destination: string | undefined;
  /** The choice of a destination, if there are several. */
  readonly menu: ReactNode;
}

/** Begins with the set that is first everywhere. */
function SourceChoice({ sources, destination, menu }: SourceChoiceProps): ReactElement {
  const { strings } = useLanguage();
  const own = useAppState((state) => state.device?.id);
  const held = useRestore((state) => state.source);
  const isOwn = ({ device }: Source): boolean => device === undefined || device === own;
  const keyOf = (source: Source | undefined): string =>
    JSON.stringify(source ? [isOwn(source) ? '' : source.device, source.set] : []);
  const first = useAppState((state) => state.sets[0]?.name);
  const chosen =
    sources.find((one) => keyOf(one) === keyOf(held)) ??
    sources.find((one) => isOwn(one) && one.set === first) ??
    sources.find(isOwn) ??
    sources[0]!;
  return (
    <Points
      key={`${destination} ${keyOf(chosen)}`}
      source={{ ...chosen, destination }}
      menu={menu}
      picker={
        <Select
          label={strings.restore.source}
          isLabelHidden
          value={keyOf(chosen)}
          options={sources.map((one) => ({
            value: keyOf(one),
            label: strings.restore.sourceOf(
              one.set,
              isOwn(one) ? strings.restore.here : one.deviceName || strings.restore.elsewhere,
            ),
          }))}
          onChange={(key) => chooseSource(sources.find((one) => keyOf(one) === key)!)}
        />
      }
    />
  );
}

/** Says that the destination's list contradicts what this computer made: one sentence, since the list needs the space. */
function ChangedPoints({
  missing = 0,
  moved = 0,
}: {
  missing?: number | undefined;
  moved?: number | undefined;
}): ReactElement | null {
  const words = useLanguage().strings.restore.time;
  if (missing + moved === 0) return null;
  return (
    <Notice tone="warning">
      <p>{missing > 0 ? words.missingPoints(missing) : words.movedPoints(moved)}</p>
    </Notice>
  );
}

interface PointsProps {
  readonly source: Source;
  readonly picker: ReactElement;
  readonly menu: ReactNode;
}

function Points({ source, picker, menu }: PointsProps): ReactElement {
  const { strings } = useLanguage();
  const { set, device, destination } = source;
  const points = useCall('restore.points', {
    set,
    ...(device === undefined ? {} : { device }),
    ...(destination === undefined ? {} : { destination }),
  });
  const wanted = useRestore((held) => held.restorePoint);
  // A backup that ends while the view is open adds a restore point.
  useOnChange(
    useAppState((state) => state.sets.find(({ name }) => name === set)?.lastPoint?.at),
    points.reload,
  );
  const find = (all: readonly RestorePoint[]): RestorePoint | undefined =>
    all.find(({ restorePoint }) => restorePoint === wanted) ?? all[0];
  const known = points.kind === 'ready' ? points.value.points : [];
  const point = find(known);
  const away = points.kind === 'ready' ? points.value.away : undefined;
  const path = useRestore((held) => held.steps.at(-1)!.path);
  const timeline = useTimeline(source, path, known[0]?.restorePoint);
  const stepped = (direction: 'older' | 'newer'): RestorePoint | undefined =>
    point && steppedPoint(known, known.indexOf(point), timeline, direction);
  const step = (direction: 'older' | 'newer'): void => {
    const next = stepped(direction);
    if (next) choosePoint(next.restorePoint);
  };
  const isMissing = point !== undefined && wanted !== undefined && wanted !== point.restorePoint;
  useEffect(() => {
    // The dialog was opened for another restore point.
    if (isMissing) setAsking(undefined);
  }, [isMissing]);
  return (
    <>
      <div className="ui-between">
        <div className="restore-sources">
          <div className="restore-source">{picker}</div>
          {menu}
        </div>
        {point && <PointPicker points={known} point={point} older={stepped('older')} newer={stepped('newer')} />}
      </div>
      {away && <AwayNotice away={away} onRetry={points.reload} />}
      {points.kind === 'ready' && <ChangedPoints {...points.value} />}
      {point && <TimeStrip source={source} points={known} point={point} timeline={timeline} />}
      <Loaded resource={points}>
        {() =>
          point ? (
            <>
              {isMissing && (
                <Notice tone="warning">
                  <p>{strings.restore.time.gone}</p>
                </Notice>
              )}
              <EntryBrowser source={source} points={known} point={point} onStep={step} away={away?.destination.name} />
            </>
          ) : (
            <Empty icon="restore" title={strings.restore.noPoints}>
              {strings.restore.noneHint}
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}
