import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import { foldersThatStopped } from '../../../../ipc/missed-folder.ts';
import { needSentence } from '../../../../strings/state-sentence.ts';
import { failureWords } from '../../../../strings/failure-sentence.ts';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { usePageKeys } from '../../../shared/use-page-keys.ts';
import { Badge } from '../../../../ui/feedback/badge.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useDestinationNames } from '../../../shared/use-destination-names.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { AbsentFolders } from '../../sets/absent/absent-folders.tsx';
import { ActiveRunCard } from '../active/active-run-card.tsx';
import { CheckOutcome } from './check-outcome.tsx';
import { isGeneral, notesOf, problemsOf } from './problem.ts';
import { GeneralWarnings } from './general-warnings.tsx';
import { AlarmActions } from '../../alarm/alarm-actions.tsx';
import { NotUndone } from '../../restore/run/not-undone.tsx';
import { UndoLast } from '../../restore/run/undo-last.tsx';
import { RunChanges } from './run-changes.tsx';
import { RunAgain } from './run-again.tsx';
import { AcceptFolders } from '../../sets/absent/accept-folders.tsx';
import { openRun } from '../../../shared/opened-run.ts';
import { RunFigures } from './run-figures.tsx';
import { OUTCOME_TONES, outcomeText, runTitle } from '../run-title.ts';
import { RunProblems } from './run-problems.tsx';
import { RunSteps } from './run-steps.tsx';
import { useOnChange } from '../../../shared/use-on-change.ts';
import { focusUntouchedPage, PAGE_IN_VIEW, PAGE_TITLE } from '../../../shared/view-title.ts';
import './run-detail.css';

interface RunDetailProps {
  readonly id: number;
  readonly onBack: () => void;
  readonly onView: (view: View) => void;
}

type RunAnswer = OutputOf<WindowMethods, 'activity.run'>;

/** The details of a run, which may still be running. */
export function RunDetail({ id, onBack, onView }: RunDetailProps): ReactElement {
  const { strings } = useLanguage();
  const answer = useCall('activity.run', { run: id });
  const phase = useAppState((state) => state.runs.find((run) => run.id === id)?.phase);
  usePageKeys({ onLeave: onBack });
  useOnChange(phase, answer.reload);
  return (
    <div className="ui-page ui-page-loose" {...PAGE_IN_VIEW}>
      <div className="act-back">
        <Button kind="quiet" onPress={onBack}>
          <Icon name="left" />
          {strings.activity.back}
        </Button>
      </div>
      <Loaded resource={answer}>{(value) => <Detail answer={value} onView={onView} />}</Loaded>
    </div>
  );
}

interface DetailProps {
  readonly answer: RunAnswer;
  readonly onView: (view: View) => void;
}

function Detail({ answer: { run, steps, report, request }, onView }: DetailProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.activity;
  const destination = useDestinationNames().get(run.destination);
  const active = useAppState((state) => state.runs.find((other) => other.id === run.id));
  useEffect(focusUntouchedPage, []);
  const failure = report?.failure ?? run.failure;
  const said = failure && failureWords(failure, language);
  const isNewest = useAppState((state) =>
    state.needs.some((need) => need.kind === 'failed' && need.set === run.set && need.at === run.endedAt),
  );
  const missed = isNewest === true ? foldersThatStopped(failure) : [];
  const all = report ? problemsOf(report) : [];
  const problems = all.filter((problem) => !isGeneral(problem));
  const alarm = useAppState((state) =>
    state.needs.find((need) => need.kind === 'suspicious-run' && need.run === run.id),
  );
  const isAlarm = alarm?.kind === 'suspicious-run';
  const restorePoint = run.kind === 'backup' ? report?.restorePoint : undefined;
  return (
    <>
      <header className="act-head">
        <div className="ui-stack-tight">
          <h1 id={PAGE_TITLE}>{runTitle(run, strings)}</h1>
          <div className="ui-row">
            {run.outcome !== undefined && (
              <Badge tone={isAlarm ? 'bad' : OUTCOME_TONES[run.outcome]}>
                {isAlarm ? words.suspicious : outcomeText({ ...run, outcome: run.outcome }, strings)}
              </Badge>
            )}
            <span className="ui-soft">
              {[
                formats.when(run.startedAt),
                ...(run.trigger ? [words.triggers[run.trigger]] : []),
                ...(destination === undefined ? [] : [destination]),
              ].join(' · ')}
            </span>
          </div>
        </div>
        {!active && <RunAgain run={run} report={report} request={request} onView={onView} />}
      </header>
      {isAlarm && (
        <Notice tone="bad">
          <p className="act-strong">{needSentence(alarm, strings)}</p>
          <AlarmActions alarm={alarm} onView={onView} />
        </Notice>
      )}
      {active && <ActiveRunCard run={active} />}
      {said && (
        <Notice tone={run.outcome === 'failed' ? 'bad' : 'plain'}>
          <p className="act-strong">{said.what}</p>
          <p>{said.todo}</p>
          {missed.length > 0 && (
            <div className="ui-row">
              <AcceptFolders set={run.set} folders={missed} onStarted={openRun} />
            </div>
          )}
        </Notice>
      )}
      {report && <RunFigures run={run} report={report} />}
      {report?.undo && report.undo.notUndoneTotal > 0 && <NotUndone outcome={report.undo} />}
      {run.kind === 'restore' && report?.to === null && (
        <UndoLast result={{ set: run.set, restorePoint: report.restorePoint, endedAt: run.endedAt }} />
      )}
      {run.kind === 'backup' && <AbsentFolders set={run.set} onStarted={openRun} />}
      {restorePoint !== undefined && <RunChanges run={run} restorePoint={restorePoint} onView={onView} />}
      {report?.check && <CheckOutcome kind={run.kind} check={report.check} />}
      <GeneralWarnings problems={all.filter(isGeneral)} />
      <GeneralWarnings problems={report ? notesOf(report) : []} tone="plain" />
      {report && (problems.length > 0 || report.failuresTotal > 0) && (
        <RunProblems
          problems={problems}
          unlisted={report.filesFailed - new Set(report.failures.map(({ path }) => path)).size}
        />
      )}
      {steps.length > 0 && <RunSteps kind={run.kind} steps={steps} />}
    </>
  );
}
