import { useCallback, useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { ActiveRunCard } from './active/active-run-card.tsx';
import './activity.css';
import { openRun, useOpenedRun } from '../../shared/opened-run.ts';
import { RunDetail } from './run/run-detail.tsx';
import { RunList } from './list/run-list.tsx';
import { VIEW_TITLE } from '../../shared/view-title.ts';

interface ActivityViewProps {
  readonly onView: (view: View) => void;
}

/** The running and the finished runs, or the details of one run. */
export function ActivityView({ onView }: ActivityViewProps): ReactElement {
  const { strings } = useLanguage();
  const opened = useOpenedRun(({ run }) => run);
  const place = useRef({ scroll: 0, run: 0 });

  const open = useCallback((run: number): void => {
    place.current = { scroll: content()?.scrollTop ?? 0, run };
    openRun(run);
  }, []);
  useEffect(() => {
    if (opened !== undefined) {
      content()?.scrollTo(0, 0);
      return;
    }
    const { scroll, run } = place.current;
    content()?.scrollTo(0, scroll);
    document.querySelector<HTMLElement>(`.act-list [data-key="${run}"]`)?.focus({ preventScroll: true });
  }, [opened]);

  return (
    <>
      {opened !== undefined && <RunDetail key={opened} id={opened} onBack={() => openRun(undefined)} onView={onView} />}
      {/* The list keeps its filter and its scroll position while a run is open. */}
      <div className="ui-page ui-page-loose" hidden={opened !== undefined}>
        <h1 id={opened === undefined ? VIEW_TITLE : undefined}>{strings.common.views.activity}</h1>
        <ActiveRuns onOpen={open} />
        <RunList onOpen={open} />
      </div>
    </>
  );
}

/** A separate component, since it renders several times per second. */
function ActiveRuns({ onOpen }: { readonly onOpen: (run: number) => void }): ReactElement | null {
  const { strings } = useLanguage();
  const runs = useAppState((state) => state.runs) ?? [];
  if (runs.length === 0) return null;
  return (
    <section className="ui-stack-tight" aria-label={strings.activity.running}>
      <h2 className="ui-group-title">{strings.activity.running}</h2>
      {runs.map((run) => (
        <ActiveRunCard key={run.id} run={run} onOpen={() => onOpen(run.id)} />
      ))}
    </section>
  );
}

function content(): HTMLElement | null {
  return document.querySelector('#content');
}
