import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import type { View } from '../../../../ipc/contract/contract.ts';
import type { RunReport } from '../../../../ipc/contract/restore/restore.ts';
import type { RestoreRequest } from '../../../../model/restore-request.ts';
import { call } from '../../../bridge/bridge.ts';
import { askAgain, setStarted } from '../../restore/store/restore-store.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { DAMAGE_CODES, isDamage } from '../../../shared/damage.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { ElsewhereButtons } from '../../destination/elsewhere-buttons.tsx';
import { openRun } from '../../../shared/opened-run.ts';
import { CheckDialog } from '../../../shared/check-dialog.tsx';
import { RepairDialog } from '../check/repair-dialog.tsx';
import { VerifyDialog } from './verify-dialog.tsx';

interface RunAgainProps {
  readonly run: Pick<ListedRun, 'kind' | 'set' | 'destination'>;
  readonly report: RunReport | undefined;
  /** The request of a restore, if it is known. */
  readonly request: RestoreRequest | undefined;
  readonly onView: (view: View) => void;
}

/** Starts the run again, as far as its record allows. */
export function RunAgain({ run, report, request, onView }: RunAgainProps): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.activity;
  const [isChoosing, setChoosing] = useState(false);
  const [asking, setAsking] = useState<'check' | 'repair'>();
  const isKnown = useAppState((state) => state.sets.some(({ name }) => name === run.set));
  const destinations = useAppState((state) => state.destinations) ?? [];
  const there = destinations.find(({ id }) => id === run.destination);
  const canCheck = there !== undefined && there.kind !== 'service';
  // The only destination needs no name.
  const place = destinations.length > 1 ? there : undefined;
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  const { isPending, failure, run: act } = useAction();
  const start = (work: () => Promise<{ readonly run: number }>): void =>
    act(async (isShown) => {
      const begun = await work();
      if (isShown()) openRun(begun.run);
    });

  // Existing files are kept, and only missing ones are fetched.
  const failed: RestoreRequest | undefined =
    request && report && report.failuresTotal > 0 ? { ...request, conflict: 'skip' } : undefined;
  const again = (): void => {
    if (request) askAgain(request);
    else setStarted(undefined);
    onView('restore');
  };
  const backUp = (set: string): void => start(() => call('runs.backup', { set, destination: place?.id }));
  const healed = needsRepair(report) ? [] : setsThatHeal(report);
  const only = healed.length === 1 ? healed[0] : undefined;
  const isOfDestination = run.kind === 'check' || run.kind === 'repair';
  if (run.kind !== 'restore' && !isOfDestination && isKnown !== true) return null;
  const suggestsCheck = !isOfDestination && hasFoundDamage(run.kind, report) && canCheck;
  return (
    <div className="act-again">
      <div className="ui-row">
        {run.kind === 'backup' && (
          <Button isPending={isPending} isDisabled={isBusy} onPress={() => backUp(run.set)}>
            {words.backupNow}
          </Button>
        )}
        {report?.failure?.code === 'destination_missing' && there?.isAtHand === false && (
          <ElsewhereButtons destination={there} />
        )}
        {run.kind === 'verify' && (
          <Button isDisabled={isBusy} onPress={() => setChoosing(true)}>
            {words.verifyAgain}
          </Button>
        )}
        {failed && (
          <Button isPending={isPending} isDisabled={isBusy} onPress={() => start(() => call('restore.start', failed))}>
            {words.restoreFailed}
          </Button>
        )}
        {run.kind === 'check' && canCheck && needsRepair(report) && (
          <Button kind="primary" isDisabled={isBusy} onPress={() => setAsking('repair')}>
            {words.check.repair}
          </Button>
        )}
        {healed.length > 0 && (
          <Button
            kind="primary"
            isPending={isPending}
            isDisabled={isBusy}
            onPress={() => (only === undefined ? act(() => call('runs.backup-all', {})) : backUp(only))}
          >
            {words.backupNow}
          </Button>
        )}
        {isOfDestination && canCheck && (
          <Button isDisabled={isBusy} onPress={() => setAsking('check')}>
            {words.check.again}
          </Button>
        )}
        {suggestsCheck && (
          <Button isDisabled={isBusy} onPress={() => setAsking('check')}>
            {strings.home.actions.checkDamage}
          </Button>
        )}
        {run.kind === 'restore' && (
          <Button kind={failed ? 'quiet' : 'plain'} onPress={again}>
            {words.restoreAgain}
          </Button>
        )}
      </div>
      {isBusy && run.kind !== 'restore' && <p className="ui-hint">{words.alreadyRunning}</p>}
      <FailureNotice failure={failure} />
      {isChoosing && <VerifyDialog set={run.set} onClose={() => setChoosing(false)} />}
      {asking === 'check' && (
        <CheckDialog destination={place} onStarted={openRun} onClose={() => setAsking(undefined)} />
      )}
      {asking === 'repair' && (
        <RepairDialog destination={place} onStarted={openRun} onClose={() => setAsking(undefined)} />
      )}
    </div>
  );
}

/** Returns whether a check found what a repair mends, or could not even read the description of the repository. */
function needsRepair(report: RunReport | undefined): boolean {
  if (isDamage(report?.failure)) return true;
  return report?.check !== undefined && (report.check.findingsTotal > 0 || !report.check.isListSound);
}

/** Returns the sets whose next backup stores again what a check or a repair found to be lost. */
function setsThatHeal(report: RunReport | undefined): readonly string[] {
  const here = (report?.check?.losses ?? []).filter(({ isHere }) => isHere);
  return [...new Set(here.map(({ set }) => set))];
}

/** Returns whether a backup, a restore or a verification met damage of the destination. */
function hasFoundDamage(kind: ListedRun['kind'], report: RunReport | undefined): boolean {
  if (!report) return false;
  const isDamaged = report.failures.some(({ reason }) => DAMAGE_CODES.has(reason));
  return isDamage(report.failure) || isDamaged || (kind === 'verify' && report.failuresTotal > 0);
}
