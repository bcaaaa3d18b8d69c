import type { ReactElement } from 'react';
import type { ActiveRun } from '../../../model/run.ts';
import { shortPath } from '../../../strings/short-path.ts';
import { isResumedRestore, partDone, runName, runSubject } from '../../../strings/state-sentence.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Progress } from '../../../ui/feedback/progress.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { PathText } from '../../shared/path-text.tsx';
import { readablePath } from '../../shared/readable-path.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { RunPlaces } from './run-places.tsx';

const PATH_LENGTH = 72;

interface RunPanelProps {
  readonly run: ActiveRun;
  /** The headline of the view names the run. */
  readonly isNamedAbove: boolean;
}

/** The progress of a run. Its figures never decrease. */
export function RunPanel({ run, isNamedAbove }: RunPanelProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.home.run;
  const action = useAction();
  const part = partDone(run);
  const isStopping = run.phase === 'stopping';
  // New files are stored during the scan: most of a first backup is done by its end.
  const phase = words.phases[run.phase === 'scanning' && run.bytesDone > 0 ? 'storing' : run.phase];
  return (
    <Panel
      title={isNamedAbove ? phase : words[run.kind](runSubject(run))}
      actions={
        <Button
          label={strings.home.actions.stopRun(runName(run, strings))}
          isPending={action.isPending || isStopping}
          onPress={() => {
            if (!isStopping) action.run(() => call('runs.stop', { run: run.id }));
          }}
        >
          {strings.common.stop}
        </Button>
      }
    >
      <Progress
        label={isNamedAbove ? words.progress : phase}
        isLabelHidden={isNamedAbove}
        part={part}
        valueLabel={part === undefined ? undefined : formats.percent(part)}
      />
      <dl className="home-facts">
        {run.scan ? (
          <>
            <Fact
              name={words.scanned}
              value={amount(
                run.scan.bytes,
                expected(run.scan.bytes, run.scan.bytesExpected),
                formats.bytes,
                words.ofAbout,
              )}
            />
            <Fact
              name={words.files}
              value={amount(
                run.filesDone,
                expected(run.filesDone, run.scan.filesExpected),
                formats.number,
                words.ofAbout,
              )}
            />
          </>
        ) : (
          <>
            <Fact name={words.bytes} value={amount(run.bytesDone, run.bytesTotal, formats.bytes, words.of)} />
            <Fact name={words.files} value={amount(run.filesDone, run.filesTotal, formats.number, words.of)} />
          </>
        )}
        <Fact
          name={words.speed}
          value={run.bytesPerSecond === undefined ? words.unknown : formats.speed(run.bytesPerSecond)}
        />
        <Fact
          name={words.left}
          value={
            isFinishing(run)
              ? words.finishing
              : run.etaSeconds === undefined
                ? words.unknown
                : formats.remaining(run.etaSeconds)
          }
        />
      </dl>
      {run.destinations && <RunPlaces destinations={run.destinations} />}
      <CurrentFile run={run} />
      {isResumedRestore(run) && <p className="ui-small ui-soft">{words.restoreResumed}</p>}
      <FailureNotice failure={action.failure} />
    </Panel>
  );
}

/** Whether all bytes are done, so that no time can be told from them. */
function isFinishing({ phase, bytesDone, bytesTotal, scan }: ActiveRun): boolean {
  if (phase === 'committing' || phase === 'finishing') return true;
  return scan === undefined && bytesTotal !== undefined && bytesTotal > 0 && bytesDone >= bytesTotal;
}

/** Always present, so that nothing jumps when the file changes. */
function CurrentFile({ run }: { readonly run: ActiveRun }): ReactElement {
  const words = useLanguage().strings.home.run;
  return (
    <div className="home-current ui-small ui-soft">
      <p>
        <span className="ui-hidden">{words.current}: </span>
        {run.currentPath === undefined ? (
          // Shown below while it runs.
          isResumedRestore(run) ? (
            '\u00a0'
          ) : (
            words.triggers[run.trigger]
          )
        ) : (
          <code title={readablePath(run.currentPath)}>
            <PathText path={run.currentPath} text={shortPath(readablePath(run.currentPath), PATH_LENGTH)} />
          </code>
        )}
      </p>
      {run.waiting !== undefined && <p>{words.waitsFor}</p>}
      {run.lowPriority !== undefined && run.waiting === undefined && <p>{words.gently}</p>}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <div>
      <dt className="ui-soft ui-small">{name}</dt>
      <dd className="ui-number">{value}</dd>
    </div>
  );
}

/** What is more than the last run had says nothing any more about how much there will be. */
function expected(done: number, before: number): number | undefined {
  return done > before ? undefined : before;
}

function amount(
  done: number,
  total: number | undefined,
  write: (value: number) => string,
  of: (done: string, total: string) => string,
): string {
  return total === undefined ? write(done) : of(write(done), write(total));
}
