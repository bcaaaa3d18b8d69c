import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { ConflictChoice, RestoreRequest } from '../../../../model/restore-request.ts';
import type { NameProblem } from '../../../../ipc/contract/restore/target.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Progress } from '../../../../ui/feedback/progress.tsx';
import { failureOf, useCall } from '../../../bridge/use-call.ts';
import { PathText } from '../../../shared/path-text.tsx';
import { readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Language } from '../../../../strings/strings.ts';
import type { Reviewed } from '../choices/choice-review.tsx';

/** Existing files to list. */
const NAMED = 50;

/** Failures with which the restore would fail as well. It would wait for an unavailable service. */
const REFUSALS: ReadonlySet<string> = new Set([
  'target_unwritable',
  'target_inside_source',
  'path_not_found',
  'no_restore_point',
  'usage',
]);

interface RestorePlanProps {
  readonly request: RestoreRequest;
  readonly conflict: ConflictChoice;
  readonly onVerdict: (verdict: Verdict) => void;
  /** Called when the person wants to choose for each file. */
  readonly onReview: (reviewed: Reviewed) => void;
}

/** Whether a restore can start, as far as its plan tells: `unknown` until there is one, `refused` if the restore would fail. */
export type Verdict = 'unknown' | 'refused' | 'possible';

/** Shows what a restore will do. */
export function RestorePlan({ request, conflict, onVerdict, onReview }: RestorePlanProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.plan;
  const plan = useCall('restore.plan', request);
  const isRefused = plan.kind === 'failed' && REFUSALS.has(failureOf(plan.failure).code);
  const verdict = plan.kind === 'waiting' ? 'unknown' : isRefused ? 'refused' : 'possible';
  useEffect(() => {
    onVerdict(verdict);
    return () => onVerdict('unknown');
  }, [onVerdict, verdict]);
  if (plan.kind === 'failed') return <FailureNotice failure={plan.failure} onRetry={plan.reload} />;
  if (plan.kind === 'waiting') {
    return (
      <section className="ui-well restore-plan" aria-label={words.title}>
        <Progress label={words.working} part={undefined} />
      </section>
    );
  }
  const { files, bytes, conflicts, conflictsNewer = 0, unchanged = 0, bytesToFetch, surplus, freeBytes } = plan.value;
  const { bytesNeeded = bytes, filesNew = 0, byChoice, names, plan: handle } = plan.value;
  const inPlace = request.to === null;
  const total = plan.value.conflictsTotal ?? conflicts.length;
  const missing = freeBytes === undefined ? 0 : bytesNeeded - freeBytes;
  const isAllNewer = conflictsNewer === total && total > 1;
  const newer = isAllNewer ? words.allNewer(total) : words.newer(conflictsNewer, total);
  const canReview = handle !== undefined && request.exact !== true && conflicts.length > 0;
  const hasChoices = byChoice !== undefined && (request.choices?.length ?? 0) > 0;
  return (
    <>
      <section className="ui-well restore-plan" aria-label={words.title}>
        <div className="ui-between">
          <p>
            {/* The rest is read with the dialog. */}
            <strong role="status" data-live-announcer>
              {files === 0 ? words.nothing : words.writes(strings.restore.files(files), formats.bytes(bytes))}
            </strong>{' '}
            {bytesToFetch !== undefined && files > 0 && <>{words.fetch(formats.bytes(bytesToFetch))} </>}
            {freeBytes !== undefined && missing <= 0 && (
              <span className="ui-soft">{words.room(formats.bytes(freeBytes))}</span>
            )}
          </p>
          {canReview && (
            <Button kind="quiet" onPress={() => onReview({ plan: handle, total })}>
              {strings.restore.choices.open}
            </Button>
          )}
        </div>
        {(filesNew > 0 || unchanged > 0) && (
          <p className="ui-soft">
            {inPlace && filesNew > 0 && `${strings.restore.choices.fresh(filesNew)} `}
            {unchanged > 0 && words.unchanged(unchanged)}
          </p>
        )}
        {conflicts.length === 0 ? (
          <p className="ui-soft">{inPlace ? words.noChanges : words.noConflicts}</p>
        ) : (
          <details className="restore-plan-conflicts">
            <summary>
              {hasChoices
                ? summaryOf(byChoice, strings, formats)
                : (inPlace ? words.inPlace : words.conflicts)[conflict](total)}
              {inPlace && conflictsNewer > 0 && ` ${newer}`}
            </summary>
            <ul className="restore-conflicts ui-small">
              {conflicts.slice(0, NAMED).map((path) => (
                <li key={path}>
                  <PathText path={path} />
                </li>
              ))}
              {total > NAMED && <li>{words.more(total - NAMED)}</li>}
            </ul>
          </details>
        )}
        {names !== undefined && names.total > 0 && <NameProblems {...names} />}
        {surplus !== undefined && surplus.entries > 0 && (
          <details className="restore-plan-conflicts">
            <summary>{words.surplus(surplus.files, formats.bytes(surplus.bytes))}</summary>
            <ul className="restore-conflicts ui-small">
              {surplus.paths.slice(0, NAMED).map((path) => (
                <li key={path}>
                  <PathText path={path} />
                </li>
              ))}
              {surplus.entries > NAMED && <li>{words.more(surplus.entries - NAMED)}</li>}
            </ul>
          </details>
        )}
        {surplus?.entries === 0 && <p className="ui-soft">{words.noSurplus}</p>}
      </section>
      {missing > 0 && <Notice tone="warning">{words.noRoom(formats.bytes(missing))}</Notice>}
    </>
  );
}

type ByChoice = Readonly<Record<ConflictChoice, number>>;

function summaryOf(byChoice: ByChoice, { restore }: Language['strings'], { number }: Language['formats']): string {
  return restore.choices.summary(number(byChoice.overwrite), number(byChoice.skip), number(byChoice['keep-both']));
}

interface NameProblemsProps {
  /** The first of `total`. */
  readonly named: readonly NameProblem[];
  readonly total: number;
}

/** Names that the file system of the target does not take, with what happens to each. */
function NameProblems({ named, total }: NameProblemsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.choices;
  const becomes = ({ becomes: what, as = '' }: NameProblem): string =>
    what === 'beside' ? words.becomes.beside(readablePath(as)) : words.becomes[what];
  return (
    <details className="restore-plan-conflicts">
      <summary>{words.names(total)}</summary>
      <ul className="restore-conflicts ui-small">
        {named.slice(0, NAMED).map((problem) => (
          <li key={problem.path}>
            <PathText path={problem.path} />
            <br />
            <span className="ui-soft">
              {words.nameProblem[problem.kind]} {becomes(problem)}
            </span>
          </li>
        ))}
        {total > NAMED && <li>{strings.restore.plan.more(total - NAMED)}</li>}
      </ul>
    </details>
  );
}
