import type { ReactElement } from 'react';
import { pauseEnd } from '../../../ipc/pause-end.ts';
import type { PauseEnd } from '../../../ipc/pause-end.ts';
import type { AppState } from '../../../ipc/state.ts';
import { call } from '../../bridge/bridge.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { MenuButton } from '../../../ui/buttons/menu-button.tsx';
import { useLanguage } from '../../shared/use-language.ts';

interface PauseMenuProps {
  readonly pause: AppState['pause'];
  readonly onChoose: (work: () => Promise<unknown>) => void;
}

/** Pauses and resumes scheduled backups. */
export function PauseMenu({ pause, onChoose }: PauseMenuProps): ReactElement {
  const { actions } = useLanguage().strings.home;
  if (pause) return <Button onPress={() => onChoose(() => call('runs.resume', {}))}>{actions.resume}</Button>;
  const hold = (end: PauseEnd): void => {
    const until = pauseEnd(end, Date.now());
    onChoose(() => call('runs.pause', until === undefined ? {} : { until }));
  };
  return (
    <MenuButton
      label={actions.pause}
      choices={[
        { id: 'hour', label: actions.pauseHour, onChoose: () => hold('hour') },
        { id: 'tomorrow', label: actions.pauseTomorrow, onChoose: () => hold('morning') },
        { id: 'open', label: actions.pauseOpen, onChoose: () => hold('resumed') },
      ]}
    >
      {actions.pause}
    </MenuButton>
  );
}
