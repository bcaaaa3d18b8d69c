import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import { needSentence } from '../../../../strings/state-sentence.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { openRun } from '../../../shared/opened-run.ts';
import { AlarmActions } from '../../alarm/alarm-actions.tsx';
import type { Alarm } from '../../alarm/alarm-actions.tsx';

interface SuspiciousNeedProps {
  readonly need: Alarm;
  /** The headline of the view already contains it. */
  readonly isSaidAbove: boolean;
  readonly onView: (view: View) => void;
}

/** A run looked like an attack by ransomware. */
export function SuspiciousNeed({ need, isSaidAbove, onView }: SuspiciousNeedProps): ReactElement {
  const { strings } = useLanguage();
  const { run } = need;
  return (
    <div className="home-need" data-tone="bad">
      <Icon name="attention" />
      <div className="home-need-text">
        <h2 className={isSaidAbove ? 'ui-hidden' : undefined}>{needSentence(need, strings)}</h2>
        <AlarmActions alarm={need} onView={onView}>
          {run !== undefined && (
            <Button
              kind="primary"
              onPress={() => {
                openRun(run);
                onView('activity');
              }}
            >
              {strings.home.alarm.look}
            </Button>
          )}
        </AlarmActions>
      </div>
    </div>
  );
}
