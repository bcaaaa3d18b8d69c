import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';

/** Full Disk Access of macOS, if this system has it. Checked again whenever the window gets the focus back. */
export function DiskAccessPanel(): ReactElement | null {
  const words = useLanguage().strings.settings.diskAccess;
  const answer = useCall('shell.disk-access', {});
  const opening = useAction();
  const { reload } = answer;
  useEffect(() => {
    window.addEventListener('focus', reload);
    return () => window.removeEventListener('focus', reload);
  }, [reload]);
  if (answer.kind !== 'ready' || answer.value.access === 'unknown') return null;
  if (answer.value.access === 'given') {
    return (
      <Panel title={words.title}>
        <p className="ui-soft settings-text">{words.given}</p>
      </Panel>
    );
  }
  return (
    <Panel title={words.title}>
      <Notice tone="warning">
        <p>{words.missing}</p>
      </Notice>
      <p className="ui-soft settings-text">{words.how}</p>
      <FailureNotice failure={opening.failure} />
      <div className="ui-row">
        <Button onPress={() => opening.run(() => call('shell.open-disk-access', {}))}>{words.open}</Button>
        <Button onPress={reload}>{words.check}</Button>
      </div>
    </Panel>
  );
}
