import { useCallback, useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../ipc/contract/contract.ts';
import { ActivityView } from '../features/activity/activity-view.tsx';
import { openRun } from '../shared/opened-run.ts';
import { DevicesView } from '../features/devices/devices-view.tsx';
import { HomeView } from '../features/home/home-view.tsx';
import { RestoreView } from '../features/restore/restore-view.tsx';
import { SetsView } from '../features/sets/sets-view.tsx';
import { SettingsView } from '../features/settings/settings-view.tsx';
import { Toasts } from '../../ui/feedback/toast.tsx';
import { CONTENT, useLostFocus } from '../../ui/layout/use-lost-focus.ts';
import { useAppState } from '../bridge/use-app-state.ts';
import { useLanguage } from '../shared/use-language.ts';
import { focusView, PAGE_TITLE, VIEW_TITLE } from '../shared/view-title.ts';
import { Navigation } from './navigation.tsx';
import { RenderFailure } from './render-failure.tsx';
import { RunAnnouncer } from './run-announcer.tsx';
import { useScrollStop } from './use-scroll-stop.ts';
import { useWindowKeys } from './use-window-keys.ts';

interface FrameProps {
  readonly view: View;
  /** The frame replaces the first steps, so the focus has to move. */
  readonly isComingBack: boolean;
  readonly onView: (view: View) => void;
  /** The person wants to write the recovery phrase down and confirm it. */
  readonly onPhrase: () => void;
}

/** The navigation and the selected view. */
export function Frame({ view, isComingBack, onView, onPhrase }: FrameProps): ReactElement {
  const { strings } = useLanguage();
  const health = useAppState((state) => state.health);
  const shown = useRef(isComingBack ? undefined : view);
  // The navigation leads to the list of runs, not to the last opened one.
  const choose = useCallback(
    (next: View): void => {
      if (next === 'activity') openRun(undefined);
      onView(next);
    },
    [onView],
  );
  const [scroller, tabIndex] = useScrollStop();
  useWindowKeys(choose);
  useLostFocus(focusView);
  useEffect(() => {
    document.title = strings.common.title(strings.common.views[view]);
  }, [view, strings]);
  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    focusView();
  }, [view]);
  return (
    <div className="frame">
      <a className="frame-skip" href={`#${CONTENT}`} onClick={skip}>
        {strings.common.skip}
      </a>
      <Navigation view={view} onView={choose} />
      {/* No role: Orca reads an empty status as “statusbar”. */}
      <p className="ui-hidden" aria-live="polite" data-live-announcer>
        {health && strings.common.health[health]}
      </p>
      <RunAnnouncer />
      {/* A new element for each view, so that it gets the focus anew. */}
      <main
        key={view}
        ref={scroller}
        id={CONTENT}
        tabIndex={tabIndex}
        className="frame-main"
        aria-labelledby={`${VIEW_TITLE} ${PAGE_TITLE}`}
      >
        <RenderFailure>
          <Shown view={view} onView={onView} onPhrase={onPhrase} />
        </RenderFailure>
      </main>
      <Toasts label={strings.common.messages} closeLabel={strings.common.close} />
    </div>
  );
}

function skip(event: { preventDefault: () => void }): void {
  event.preventDefault();
  focusView();
}

function Shown({ view, onView, onPhrase }: Omit<FrameProps, 'isComingBack'>): ReactElement {
  switch (view) {
    case 'home':
      return <HomeView onView={onView} onPhrase={onPhrase} />;
    case 'sets':
      return <SetsView />;
    case 'restore':
      return <RestoreView onView={onView} />;
    case 'activity':
      return <ActivityView onView={onView} />;
    case 'devices':
      return <DevicesView onPhrase={onPhrase} />;
    case 'settings':
      return <SettingsView onView={onView} onPhrase={onPhrase} />;
  }
}
