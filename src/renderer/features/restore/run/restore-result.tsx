import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import type { RunReport } from '../../../../ipc/contract/restore/restore.ts';
import type { RestoreRequest } from '../../../../model/restore-request.ts';
import type { Outcome } from '../../../../model/run.ts';
import { reasonSentence } from '../../../../strings/failure-sentence.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import type { Tone } from '../../../../ui/theme/tone.ts';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { PathText } from '../../../shared/path-text.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { askAgain, chooseNothing, setStarted } from '../store/restore-store.ts';
import { Failures } from '../failures.tsx';
import { UndoLast } from './undo-last.tsx';
import '../dialog/restore-dialog.css';

interface RestoreResultProps {
  readonly run: Pick<ListedRun, 'set' | 'failure'> & { readonly endedAt?: number | undefined };
  readonly outcome: Outcome;
  readonly report: RunReport | undefined;
  readonly request: RestoreRequest | undefined;
}

/** The result of a restore: what was restored, what failed and why, and what to do. */
export function RestoreResult({ run, outcome, report, request }: RestoreResultProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.restore.result;
  const acting = useAction();
  const to = request ? request.to : (report?.to ?? null);
  const shown = to ?? request?.paths[0];
  const [keptIn] = report?.keptIn ?? [];
  // An undo, or the person, may have taken it away since.
  const places = [shown, keptIn].filter((path) => path !== undefined);
  const onDisk = useCall('restore.on-disk', { paths: places });
  const isThere = (path: string | undefined): path is string =>
    path !== undefined && (onDisk.kind !== 'ready' || onDisk.value.found.some((found) => found.path === path));
  const failed = report?.filesFailed ?? 0;
  const isWhole = outcome === 'succeeded' && failed === 0;
  const isNothing = !isWhole && (report?.files ?? 0) === 0;
  const failure = run.failure ?? report?.failure;
  const isPartly = failed > 0 && (report?.files ?? 0) > 0 && outcome !== 'cancelled' && outcome !== 'interrupted';
  const [isUndone, setUndone] = useState(false);
  const title = isUndone ? words.title.undone : isPartly ? words.title.partly : words.title[outcome];
  // Existing files are kept, and only missing ones are fetched.
  const retry = (): void =>
    acting.run(async () => {
      if (!request) return;
      const again: RestoreRequest = { ...request, conflict: isWhole || failed > 0 ? 'skip' : request.conflict };
      setStarted({ run: (await call('restore.start', again)).run, request: again });
    });
  return (
    <Panel title={title}>
      {report && !isUndone && (
        <Notice tone={isPartly ? 'warning' : toneOf(outcome, failed)}>
          <p>
            {isNothing
              ? words.nothing
              : report.files === 0
                ? words.nothingNeeded
                : words.done(
                    strings.restore.files(report.files),
                    formats.bytes(report.bytes),
                    strings.restore.toPlace(to, report.files),
                  )}
          </p>
          {(report.filesUnchanged ?? 0) > 0 && <p>{words.unchanged(report.filesUnchanged!)}</p>}
          {(report.attributesLeft ?? 0) > 0 && <p>{words.attributesLeft(report.attributesLeft!)}</p>}
          {isThere(keptIn) && <p>{words.keptIn(keptIn)}</p>}
          {(report.filesSkipped ?? 0) > 0 && <p>{words.skipped(report.filesSkipped!)}</p>}
          {(outcome === 'cancelled' || outcome === 'interrupted') && <p>{words.cancelledHint}</p>}
        </Notice>
      )}
      {outcome !== 'cancelled' && <FailureNotice failure={failure} />}
      {report && failed > 0 && <Failures failures={report.failures} total={failed} />}
      {report && report.warnings.length > 0 && (
        <section className="ui-stack-tight">
          <h3>{words.warnings(report.warningsTotal ?? report.warnings.length)}</h3>
          <ul className="restore-conflicts ui-small">
            {report.warnings.slice(0, 100).map(({ path, reason }) => (
              <li key={`${path} ${reason}`}>
                <PathText path={path} /> <span className="ui-soft">{reasonSentence(reason, language)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <FailureNotice failure={acting.failure} />
      {to === null && (
        <UndoLast
          result={{ set: run.set, restorePoint: report?.restorePoint, endedAt: run.endedAt }}
          onUndone={({ notUndoneTotal }) => {
            setUndone(notUndoneTotal === 0);
            onDisk.reload();
          }}
        />
      )}
      <div className="ui-actions">
        {!isWhole && request && (
          <Button isPending={acting.isPending} onPress={retry}>
            {failed > 0 ? words.retry : words.again}
          </Button>
        )}
        {isNothing && request && <Button onPress={() => askAgain(request)}>{words.elsewhere}</Button>}
        {isThere(shown) && !isNothing && (
          <Button onPress={() => acting.run(() => call('shell.show-path', { path: shown }))}>{words.show}</Button>
        )}
        {isThere(keptIn) && (
          <Button onPress={() => acting.run(() => call('shell.show-path', { path: keptIn }))}>{words.showKept}</Button>
        )}
        <Button
          kind="primary"
          onPress={() => {
            if (isWhole) chooseNothing();
            setStarted(undefined);
          }}
        >
          {words.finish}
        </Button>
      </div>
    </Panel>
  );
}

function toneOf(outcome: Outcome, failed: number): Tone {
  if (outcome === 'succeeded' && failed === 0) return 'good';
  return outcome === 'failed' ? 'plain' : 'warning';
}
