import { useState } from 'react';
import type { ReactElement } from 'react';
import type { TimerState } from '../../../../ipc/contract/sets.ts';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';

/** The hourly timer of systemd, which also runs without a login. Only where there is systemd. */
export function TimerSwitch({ set }: { readonly set: string }): ReactElement | null {
  const abilities = useCall('shell.abilities', {});
  const isLinux = abilities.kind === 'ready' && abilities.value.platform === 'linux';
  return isLinux ? <KnownTimer set={set} /> : null;
}

function KnownTimer({ set }: { readonly set: string }): ReactElement | null {
  const words = useLanguage().strings.sets.timer;
  const found = useCall('sets.timer', { set });
  const [changed, setChanged] = useState<TimerState>();
  const { run, isPending, failure } = useAction();
  const timer = changed ?? (found.kind === 'ready' ? found.value : undefined);
  if (!timer) return null;
  const { isOn, isInstalled, withoutLogin, user } = timer;
  return (
    <section className="ui-stack-tight" aria-label={words.title}>
      <h3>{words.title}</h3>
      <Switch
        label={words.switch}
        hint={isInstalled ? words.hint : words.missing}
        isSelected={isOn}
        isDisabled={isPending || !isInstalled}
        onChange={(wanted) => run(async () => setChanged(await call('sets.timer.save', { set, isOn: wanted })))}
      />
      {isOn && withoutLogin === 'no' && <Notice tone="warning">{words.loginOnly(user)}</Notice>}
      {changed && !isOn && withoutLogin === 'yes' && <p className="ui-hint">{words.stays}</p>}
      <FailureNotice failure={failure} />
    </section>
  );
}
