import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import type { Need } from '../../../../model/need.ts';
import { needSentence } from '../../../../strings/state-sentence.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { openRun } from '../../../shared/opened-run.ts';
import { runTitle } from '../../activity/run-title.ts';

interface RestartedNeedProps {
  readonly need: Extract<Need, { kind: 'agent-restarted' }>;
  /** The headline of the view already contains it. */
  readonly isSaidAbove: boolean;
  readonly onView: (view: View) => void;
}

/** The agent stopped unexpectedly: which run that interrupted, until the person dismisses it. */
export function RestartedNeed({ need, isSaidAbove, onView }: RestartedNeedProps): ReactElement {
  const { strings } = useLanguage();
  const { actions, restarted } = strings.home;
  const answer = useCall('activity.list', { outcome: 'interrupted', limit: 1 });
  const [newest] = answer.kind === 'ready' ? answer.value.runs : [];
  // Its end is the time at which the agent that was started after it found it.
  const run = newest && newest.endedAt >= need.at ? newest : undefined;
  const resumes = run?.kind === 'backup' || run?.kind === 'restore' || run?.kind === 'copy';
  const told = run
    ? `${restarted.interrupted(runTitle(run, strings))}${resumes ? ` ${restarted.resumes}` : ''}`
    : restarted.nothingRan;
  return (
    <div className="home-need" data-tone="plain">
      <Icon name="info" />
      <div className="home-need-text">
        <h2 className={isSaidAbove ? 'ui-hidden' : undefined}>{needSentence(need, strings)}</h2>
        <p>{answer.kind === 'waiting' ? strings.common.loading : told}</p>
        <div className="home-need-actions">
          {run && (
            <Button
              onPress={() => {
                openRun(run.id);
                onView('activity');
              }}
            >
              {actions.showRun}
            </Button>
          )}
          <Button onPress={() => void call('shell.dismiss-restart', {}).catch(() => undefined)}>
            {actions.dismiss}
          </Button>
        </div>
      </div>
    </div>
  );
}
