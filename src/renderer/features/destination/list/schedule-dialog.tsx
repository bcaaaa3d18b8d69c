import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import { FormDialog } from '../../../../ui/dialogs/form-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { useNow } from '../../../shared/use-now.ts';
import { parseSchedule, printSchedule, scheduleProblem } from '../../sets/draft/schedule-choice.ts';
import type { ScheduleChoice } from '../../sets/draft/schedule-choice.ts';
import { ScheduleControl } from '../../sets/schedule/schedule-control.tsx';

/** Once a day, as for a place that is far away. */
const SUGGESTED: ScheduleChoice = { kind: 'daily', at: 12 * 60 };

interface ScheduleDialogProps {
  readonly destination: ConfiguredDestination;
  readonly onClose: () => void;
}

/** Chooses when a destination is backed up to: on the schedules of the sets, or on its own. */
export function ScheduleDialog({ destination, onClose }: ScheduleDialogProps): ReactElement {
  const words = useLanguage().strings.destinations.schedule;
  const now = useNow();
  const [isOwn, setOwn] = useState(destination.schedule !== undefined);
  const [schedule, setSchedule] = useState(() =>
    destination.schedule === undefined ? SUGGESTED : parseSchedule(destination.schedule),
  );
  return (
    <FormDialog
      title={words.title(destination.name)}
      submit={words.submit}
      isDisabled={isOwn && scheduleProblem(schedule, now) !== undefined}
      work={() =>
        call('destinations.schedule', {
          id: destination.id,
          ...(isOwn ? { schedule: printSchedule(schedule) } : {}),
        }).then(onClose)
      }
      onClose={onClose}
    >
      <RadioCards
        label={words.label}
        isLabelHidden
        value={isOwn ? 'own' : 'sets'}
        cards={[
          { value: 'sets', title: words.sets, hint: words.setsHint },
          { value: 'own', title: words.own, hint: words.ownHint },
        ]}
        onChange={(value) => setOwn(value === 'own')}
      />
      {isOwn && <ScheduleControl schedule={schedule} now={now} onChange={setSchedule} />}
    </FormDialog>
  );
}
