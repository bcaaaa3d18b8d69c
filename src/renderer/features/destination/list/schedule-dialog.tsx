import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import { FormDialog } from '../../../../ui/dialogs/form-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface ScheduleDialogProps {
  readonly destination: ConfiguredDestination;
  readonly onClose: () => void;
}

/** Chooses when a destination is backed up to: on the schedules of the sets, or only when a person starts a backup. */
export function ScheduleDialog({ destination, onClose }: ScheduleDialogProps): ReactElement {
  const words = useLanguage().strings.destinations.schedule;
  const [isManual, setManual] = useState(destination.schedule === 'manual');
  return (
    <FormDialog
      title={words.title(destination.name)}
      submit={words.submit}
      work={() =>
        call('destinations.schedule', { id: destination.id, ...(isManual ? { schedule: 'manual' } : {}) }).then(onClose)
      }
      onClose={onClose}
    >
      <RadioCards
        label={words.label}
        isLabelHidden
        value={isManual ? 'manual' : 'sets'}
        cards={[
          { value: 'sets', title: words.sets, hint: words.setsHint },
          { value: 'manual', title: words.manual, hint: words.manualHint },
        ]}
        onChange={(value) => setManual(value === 'manual')}
      />
    </FormDialog>
  );
}
