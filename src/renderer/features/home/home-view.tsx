import { useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { AppState } from '../../../ipc/state.ts';
import { useNow } from '../../shared/use-now.ts';
import { Wait } from '../../../ui/requests/wait.tsx';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { DayStrip } from './day-strip.tsx';
import { DestinationsPanel } from './destinations-panel.tsx';
import { DrillPanel } from './drill-panel.tsx';
import { FindField } from './find/find-field.tsx';
import './home.css';
import { NeedList } from './needs/need-list.tsx';
import { MountNotices } from '../restore/outside/mount-notices.tsx';
import { ResumedCard } from './resumed-card.tsx';
import { RunPanel } from './run-panel.tsx';
import { Notes } from './notes.tsx';
import { SetLines } from './set-lines.tsx';
import { StatePanel } from './state-panel.tsx';
import { StoragePanel } from './storage-panel.tsx';

interface HomeViewProps {
  readonly onView: (view: View) => void;
  readonly onPhrase: () => void;
}

const whole = (state: AppState): AppState => state;

/** The overall state, from one sentence to the details. */
export function HomeView({ onView, onPhrase }: HomeViewProps): ReactElement {
  const { strings } = useLanguage();
  const state = useAppState(whole);
  const now = useNow();
  const [search, setSearch] = useState('');
  if (!state) return <Wait label={strings.common.loading} />;
  const hasBackups = state.sets.some(({ lastPoint }) => lastPoint);
  return (
    <div className="ui-page home-page">
      <StatePanel state={state} now={now} />
      {hasBackups && <FindField text={search} onText={setSearch} onView={onView} />}
      {(!hasBackups || search.trim() === '') && (
        <>
          {state.runs.map((run, index) => (
            <RunPanel key={run.id} run={run} isNamedAbove={state.health === 'running' && index === 0} />
          ))}
          <MountNotices />
          <NeedList state={state} onView={onView} onPhrase={onPhrase} />
          <ResumedCard state={state} onView={onView} />
          <Notes state={state} />
          <div className="home-columns">
            <div className="ui-stack home-column">
              {state.sets.length > 0 && (
                <SetLines sets={state.sets} isIdle={state.runs.length === 0} now={now} onView={onView} />
              )}
              <DrillPanel sets={state.sets} isIdle={state.runs.length === 0} />
              {state.days.length > 0 && (
                <div className="home-last">
                  <DayStrip days={state.days} />
                </div>
              )}
            </div>
            <div className="ui-stack home-column">
              <DestinationsPanel state={state} now={now} />
              <StoragePanel state={state} now={now} onView={onView} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}
