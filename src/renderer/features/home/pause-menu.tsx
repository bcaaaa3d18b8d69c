import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { call } from '../../bridge.ts';
import { Button } from '../../ui/button.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { useLanguage } from '../../use-language.ts';

const HOUR = 3_600_000;
const MORNING = 8;

interface PauseMenuProps {
  readonly pause: AppState['pause'];
  readonly onChoose: (work: () => Promise<unknown>) => void;
}

/** Scheduled backups wait, or go on. */
export function PauseMenu({ pause, onChoose }: PauseMenuProps): ReactElement {
  const { actions } = useLanguage().strings.home;
  if (pause) return <Button onPress={() => onChoose(() => call('runs.resume', {}))}>{actions.resume}</Button>;
  const hold = (until?: number): void => onChoose(() => call('runs.pause', until === undefined ? {} : { until }));
  return (
    <MenuButton
      label={actions.pause}
      choices={[
        { id: 'hour', label: actions.pauseHour, onChoose: () => hold(Date.now() + HOUR) },
        { id: 'tomorrow', label: actions.pauseTomorrow, onChoose: () => hold(tomorrowMorning()) },
        { id: 'open', label: actions.pauseOpen, onChoose: () => hold() },
      ]}
    >
      {actions.pause}
    </MenuButton>
  );
}

function tomorrowMorning(): number {
  const day = new Date();
  day.setDate(day.getDate() + 1);
  return day.setHours(MORNING, 0, 0, 0);
}
