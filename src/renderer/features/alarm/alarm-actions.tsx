import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { Need } from '../../../model/need.ts';
import { momentWords } from '../../../strings/time-formats.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { useNow } from '../../shared/use-now.ts';
import { choosePoint, chooseSource } from '../restore/store/restore-store.ts';
import { ReleaseDialog } from './release-dialog.tsx';

export type Alarm = Extract<Need, { kind: 'suspicious-run' }>;

interface AlarmActionsProps {
  readonly alarm: Alarm;
  /** The first button, if there is one more than these. */
  readonly children?: ReactNode;
  readonly onView: (view: View) => void;
}

/** What was detected in a run that looked like an attack by ransomware, what is held, and the possible actions. */
export function AlarmActions({ alarm, children, onView }: AlarmActionsProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.home.alarm;
  const now = useNow();
  const deviceName = useAppState((state) => state.device?.name) ?? '';
  const [isAsking, setAsking] = useState(false);
  const { set, safePoint, reasons, at } = alarm;
  const seen = [...reasons.map((reason) => words.seen[reason]), words.held(momentWords(at, now, formats))].join(' ');
  const restore = (of: string, restorePoint: string): void => {
    chooseSource({ set: of, deviceName });
    choosePoint(restorePoint);
    onView('restore');
  };
  return (
    <div className="ui-stack-tight">
      <p>{seen}</p>
      <div className="ui-row">
        {children}
        {set !== undefined && safePoint !== undefined && (
          <Button onPress={() => restore(set, safePoint)}>{words.restore}</Button>
        )}
        <Button onPress={() => setAsking(true)}>{words.release}</Button>
      </div>
      {isAsking && <ReleaseDialog isElsewhere={set === undefined} onClose={() => setAsking(false)} />}
    </div>
  );
}
