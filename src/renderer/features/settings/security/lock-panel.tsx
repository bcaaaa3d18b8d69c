import { useState } from 'react';
import type { ReactElement } from 'react';
import type { LockState } from '../../../../ipc/state.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { LockPasswordDialog } from './lock-password-dialog.tsx';
import type { LockDialogKind } from './lock-password-dialog.tsx';

const MINUTES = [0, 1, 5, 15, 30, 60] as const;

/** Settings of the window lock. */
export function LockPanel(): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.lock;
  const lock = useAppState((state) => state.lock);
  const [dialog, setDialog] = useState<LockDialogKind>();
  if (!lock) return null;
  return (
    <Panel title={words.panel}>
      <p className="ui-soft settings-text">{words.panelText}</p>
      <Switch
        label={words.isOn}
        hint={words.isOnHint}
        isSelected={lock.isOn}
        onChange={(isOn) => setDialog(isOn ? 'set' : 'remove')}
      />
      {lock.isOn && <LockDetails lock={lock} onChange={() => setDialog('change')} />}
      {dialog !== undefined && <LockPasswordDialog kind={dialog} onClose={() => setDialog(undefined)} />}
    </Panel>
  );
}

interface LockDetailsProps {
  readonly lock: LockState;
  readonly onChange: () => void;
}

function LockDetails({ lock, onChange }: LockDetailsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.lock;
  const { failure, run } = useAction();
  const { locksOnClose, idleMinutes } = lock;
  const configure = (change: Partial<Pick<LockState, 'locksOnClose' | 'idleMinutes'>>): void =>
    run(() => call('lock.configure', { locksOnClose, idleMinutes, ...change }));
  return (
    <>
      <Switch
        label={words.onClose}
        isSelected={locksOnClose}
        onChange={(isWanted) => configure({ locksOnClose: isWanted })}
      />
      <div className="settings-narrow">
        <Select
          label={words.idle}
          hint={words.idleHint}
          value={String(idleMinutes)}
          options={minutesOf(idleMinutes).map((minutes) => ({
            value: String(minutes),
            label: minutes === 0 ? words.idleMinutes.never : words.idleMinutes.minutes(minutes),
          }))}
          onChange={(minutes) => configure({ idleMinutes: Number(minutes) })}
        />
      </div>
      {lock.canAskSystem && <p className="ui-soft">{words.systemToo}</p>}
      <div className="ui-row">
        <Button onPress={() => run(() => call('lock.now', {}))}>{words.now}</Button>
        <Button onPress={onChange}>{words.change}</Button>
      </div>
      <FailureNotice failure={failure} />
    </>
  );
}

function minutesOf(chosen: number): readonly number[] {
  return [...new Set([...MINUTES, chosen])].toSorted((a, b) => a - b);
}
