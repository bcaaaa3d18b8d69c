import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import { FormDialog } from '../../../../ui/dialogs/form-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { useNow } from '../../../shared/use-now.ts';
import { parseSchedule, printSchedule } from '../../../../model/schedule/grammar.ts';
import { scheduleProblem } from '../../../../model/schedule/problem.ts';
import type { Schedule } from '../../../../model/schedule/schedule.ts';
import { ScheduleControl } from '../../sets/schedule/schedule-control.tsx';

type Choice = 'sets' | 'own' | 'manual';

/** The first suggestion for a schedule of its own. */
const FIRST: Schedule = { kind: 'daily', at: 12 * 60 };

interface ScheduleDialogProps {
  readonly destination: ConfiguredDestination;
  readonly onClose: () => void;
}

/** Chooses when a destination is backed up to: as the sets, on a schedule of its own, or only when a person starts a backup. */
export function ScheduleDialog({ destination, onClose }: ScheduleDialogProps): ReactElement {
  const words = useLanguage().strings.destinations.schedule;
  const now = useNow();
  const stored = destination.schedule === undefined ? undefined : parseSchedule(destination.schedule);
  const [choice, setChoice] = useState<Choice>(
    stored === undefined ? 'sets' : stored.kind === 'manual' ? 'manual' : 'own',
  );
  const [own, setOwn] = useState<Schedule>(stored === undefined || stored.kind === 'manual' ? FIRST : stored);
  const isWrong = choice === 'own' && scheduleProblem(own) !== undefined;
  const schedule = { sets: null, own: printSchedule(own), manual: 'manual' }[choice];
  return (
    <FormDialog
      title={words.title(destination.name)}
      submit={words.submit}
      isDisabled={isWrong}
      work={() =>
        isWrong ? undefined : call('destinations.change', { destination: destination.id, schedule }).then(onClose)
      }
      onClose={onClose}
    >
      <RadioCards
        label={words.label}
        isLabelHidden
        value={choice}
        cards={[
          { value: 'sets', title: words.sets, hint: words.setsHint },
          { value: 'own', title: words.own, hint: words.ownHint },
          { value: 'manual', title: words.manual, hint: words.manualHint },
        ]}
        onChange={setChoice}
      />
      {choice === 'own' && <ScheduleControl schedule={own} now={now} hasManual={false} onChange={setOwn} />}
    </FormDialog>
  );
}
