import { useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { AppState, Need } from '../../../ipc/state.ts';
import { momentWords } from '../../../strings/time-formats.ts';
import { needSentence } from '../../../strings/state-sentence.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { openRun } from '../activity/opened-run.ts';
import { choosePoint, chooseSource } from '../restore/store/restore-store.ts';
import { ReleaseDialog } from './release-dialog.tsx';

interface SuspiciousNeedProps {
  readonly need: Extract<Need, { kind: 'suspicious-run' }>;
  /** The headline of the view already contains it. */
  readonly isSaidAbove: boolean;
  readonly device: AppState['device'];
  readonly now: number;
  readonly onView: (view: View) => void;
}

/** A run looked like an attack by ransomware: what was detected, what is held, and the three possible actions. */
export function SuspiciousNeed({ need, isSaidAbove, device, now, onView }: SuspiciousNeedProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.home.alarm;
  const [isAsking, setAsking] = useState(false);
  const { set, run, safePoint, reasons, at } = need;
  const seen = [...reasons.map((reason) => words.seen[reason]), words.held(momentWords(at, now, formats))].join(' ');
  const restore = (of: string, restorePoint: string): void => {
    chooseSource({ set: of, deviceName: device?.name ?? '' });
    choosePoint(restorePoint);
    onView('restore');
  };
  return (
    <div className="home-need" data-tone="bad">
      <Icon name="attention" />
      <div className="home-need-text">
        <h2 className={isSaidAbove ? 'ui-hidden' : undefined}>{needSentence(need, strings)}</h2>
        <p>{seen}</p>
        <div className="home-need-actions">
          {run !== undefined && (
            <Button
              kind="primary"
              onPress={() => {
                openRun(run);
                onView('activity');
              }}
            >
              {words.look}
            </Button>
          )}
          {set !== undefined && safePoint !== undefined && (
            <Button onPress={() => restore(set, safePoint)}>{words.restore}</Button>
          )}
          <Button onPress={() => setAsking(true)}>{words.release}</Button>
        </div>
      </div>
      {isAsking && <ReleaseDialog isElsewhere={set === undefined} onClose={() => setAsking(false)} />}
    </div>
  );
}
