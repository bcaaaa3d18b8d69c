import type { ReactElement } from 'react';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import type { RestoreFailure, RestoreRequest, RunReport } from '../../../../ipc/contract/restore.ts';
import type { Outcome } from '../../../../ipc/state.ts';
import { reasonSentence } from '../../../../strings/failure-sentence.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../shared/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import type { Tone } from '../../../../ui/theme/tone.ts';
import { useVirtualRows } from '../../../../ui/tables/use-virtual-rows.ts';
import { useAction } from '../../../shared/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { askAgain, chooseNothing, setStarted } from '../store/restore-store.ts';

/** Pixels; restore.css has the same. */
const FAILURE_ROW = 56;

interface RestoreResultProps {
  readonly run: Pick<ListedRun, 'set' | 'failure'>;
  readonly outcome: Outcome;
  readonly report: RunReport | undefined;
  readonly request: RestoreRequest | undefined;
}

/** How a restore ended: what is back, what is not and why, and what can be done about it. */
export function RestoreResult({ run, outcome, report, request }: RestoreResultProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.restore.result;
  const acting = useAction();
  const to = request?.to ?? report?.to;
  const failed = report?.failuresTotal ?? 0;
  const isWhole = outcome === 'succeeded' && failed === 0;
  const isNothing = !isWhole && (report?.files ?? 0) === 0;
  const failure = run.failure ?? report?.failure;
  const isPartly = failed > 0 && (report?.files ?? 0) > 0 && outcome !== 'cancelled' && outcome !== 'interrupted';
  const title = isPartly ? words.title.partly : words.title[outcome];
  // What is there already stays: only what is missing is fetched again.
  const retry = (): void =>
    acting.run(async () => {
      if (!request) return;
      const again: RestoreRequest = { ...request, conflict: isWhole || failed > 0 ? 'skip' : request.conflict };
      setStarted({ run: (await call('restore.start', again)).run, request: again });
    });
  return (
    <Panel title={title}>
      {report && (
        <Notice tone={isPartly ? 'warning' : toneOf(outcome, failed)}>
          <p>
            {isNothing
              ? words.nothing
              : words.done(strings.restore.files(report.files), formats.bytes(report.bytes), to ?? '')}
          </p>
          {(report.filesSkipped ?? 0) > 0 && <p>{words.skipped(report.filesSkipped!)}</p>}
          {(outcome === 'cancelled' || outcome === 'interrupted') && <p>{words.cancelledHint}</p>}
        </Notice>
      )}
      {outcome !== 'cancelled' && <FailureNotice failure={failure} />}
      {report && failed > 0 && <Failures failures={report.failures} total={failed} />}
      {report && report.warnings.length > 0 && (
        <section className="ui-stack-tight">
          <h3>{words.warnings(report.warnings.length)}</h3>
          <ul className="restore-conflicts ui-small">
            {report.warnings.slice(0, 100).map(({ path, reason }) => (
              <li key={`${path} ${reason}`}>
                {path} <span className="ui-soft">{reasonSentence(reason, language)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <FailureNotice failure={acting.failure} />
      <div className="ui-actions">
        {!isWhole && request && (
          <Button isPending={acting.isPending} onPress={retry}>
            {failed > 0 ? words.retry : words.again}
          </Button>
        )}
        {isNothing && request && <Button onPress={() => askAgain(request)}>{words.elsewhere}</Button>}
        {to !== undefined && !isNothing && (
          <Button onPress={() => acting.run(() => call('shell.show-path', { path: to }))}>{words.show}</Button>
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

interface FailuresProps {
  readonly failures: readonly RestoreFailure[];
  readonly total: number;
}

/** File by file, thousands too. */
function Failures({ failures, total }: FailuresProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.restore.result;
  const { scroller, height, from, to, topOf } = useVirtualRows(failures.length, FAILURE_ROW);
  const drawn = failures.slice(from, to).map((failure, offset) => ({ failure, index: from + offset }));
  return (
    <section className="ui-stack-tight">
      <h3>{words.failures(total)}</h3>
      <p className="ui-soft">
        {words.failuresHint} {total > failures.length && words.listed(language.formats.number(failures.length))}
      </p>
      <div
        // It scrolls, also by keys.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="ui-rows restore-failures"
        ref={scroller}
        role="region"
        aria-label={words.failures(total)}
      >
        <ul style={{ height: height }} className="ui-rows-box">
          {drawn.map(({ failure: { path, reason, detail }, index }) => (
            <li
              key={index}
              className="ui-rows-one restore-failure"
              style={{ transform: `translateY(${topOf(index)}px)` }}
              aria-setsize={failures.length}
              aria-posinset={index + 1}
            >
              <Icon name="warning" />
              <span className="restore-failure-text">
                <span className="restore-name" title={path}>
                  {path}
                </span>
                <span className="ui-hint restore-name" title={detail}>
                  {reasonSentence(reason, language, detail)}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
