import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { RestoreRequest } from '../../../../model/restore-request.ts';
import type { ActiveRun } from '../../../../model/run.ts';
import { shortPath } from '../../../../strings/short-path.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { Progress } from '../../../../ui/feedback/progress.tsx';
import { Wait } from '../../../../ui/requests/wait.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { isolatedName, readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { ArchiveResult } from '../outside/archive-result.tsx';
import { RestoreResult } from './restore-result.tsx';
import './restore-run.css';

/** Milliseconds between two requests for the outcome of a run that is not in the state. */
const ASKING = 400;

interface RestoreRunProps {
  readonly run: number;
  /** `undefined` if it was started elsewhere. */
  readonly request: RestoreRequest | undefined;
}

/** Shows a restore until its result is closed. */
export function RestoreRun({ run, request }: RestoreRunProps): ReactElement {
  const active = useAppState((state) => state.runs.find(({ id }) => id === run));
  return active ? <Running run={active} to={request?.to} /> : <Ended run={run} request={request} />;
}

function Running({ run, to }: { readonly run: ActiveRun; readonly to: string | null | undefined }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.run;
  const stopping = useAction();
  const { phase, filesDone, filesTotal, bytesDone, bytesTotal, bytesPerSecond, etaSeconds, currentPath } = run;
  const isArchive = run.kind === 'export';
  const isKnown = bytesTotal !== undefined && bytesTotal > 0 && phase !== 'planning';
  const facts = [
    filesTotal === undefined
      ? words.filesSoFar(formats.number(filesDone))
      : words.files(formats.number(filesDone), formats.number(filesTotal)),
    ...(bytesTotal === undefined ? [] : [words.bytes(formats.bytes(bytesDone), formats.bytes(bytesTotal))]),
    // Until something is restored, the speed is that of reading the list of files.
    ...(bytesPerSecond === undefined || bytesDone === 0 ? [] : [formats.speed(bytesPerSecond)]),
    ...(etaSeconds === undefined ? [] : [words.left(formats.remaining(etaSeconds))]),
  ];
  return (
    <Panel title={words.title} isTitleHidden>
      <Progress
        label={isArchive ? strings.home.run.export(run.set) : words.label(run.set)}
        part={isKnown ? bytesDone / bytesTotal : undefined}
        valueLabel={isKnown ? formats.percent(Math.floor((bytesDone / bytesTotal) * 100) / 100) : undefined}
      />
      <p className="ui-number">{facts.join(' · ')}</p>
      <p className="ui-soft ui-ellipsis" title={currentPath === undefined ? undefined : readablePath(currentPath)}>
        {isArchive && phase === 'downloading' ? strings.activity.archiving : words.phases[phase]}
        {currentPath !== undefined && `: ${isolatedName(shortPath(readablePath(currentPath), 64))}`}
      </p>
      {to !== undefined && <p className="ui-soft">{words.to(to)}</p>}
      <FailureNotice failure={stopping.failure} />
      <div className="restore-run-foot">
        <p className="ui-hint">{isArchive ? '' : words.leave}</p>
        <Button
          isPending={stopping.isPending || phase === 'stopping'}
          onPress={() => stopping.run(() => call('runs.stop', { run: run.id }))}
        >
          {words.stop}
        </Button>
      </div>
    </Panel>
  );
}

function Ended({ run, request }: RestoreRunProps): ReactElement {
  const { strings } = useLanguage();
  const answer = useCall('activity.run', { run });
  const { reload } = answer;
  const isOver = answer.kind === 'ready' && answer.value.run.outcome !== undefined;
  const isWaiting = answer.kind === 'ready' && !isOver;
  useEffect(() => {
    // A run that has just started is in neither the state nor the finished runs yet.
    if (!isWaiting) return undefined;
    const timer = setInterval(reload, ASKING);
    return () => clearInterval(timer);
  }, [isWaiting, reload]);
  return (
    <Loaded resource={answer}>
      {({ run: ended, report, request: asked }) =>
        ended.outcome === undefined ? (
          <Wait label={strings.common.loading} />
        ) : ended.kind === 'export' ? (
          <ArchiveResult outcome={ended.outcome} report={report} />
        ) : (
          <RestoreResult run={ended} outcome={ended.outcome} report={report} request={request ?? asked} />
        )
      }
    </Loaded>
  );
}
