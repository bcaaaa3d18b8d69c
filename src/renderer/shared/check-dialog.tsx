import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Place } from '../../model/destination.ts';
import { call } from '../bridge/bridge.ts';
import { RadioCards } from '../../ui/choices/radio-cards.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { useLanguage } from './use-language.ts';

interface CheckDialogProps {
  /** One of several; the only one by default. */
  readonly destination?: Place | undefined;
  /** Called with the run. */
  readonly onStarted: (run: number) => void;
  readonly onClose: () => void;
}

type Extent = 'quick' | 'sample' | 'all';

const SAMPLE_PERCENT = 10;

/** Asks how much of the destination to check, and starts that. */
export function CheckDialog({ destination, onStarted, onClose }: CheckDialogProps): ReactElement {
  const words = useLanguage().strings.activity.check;
  const [extent, setExtent] = useState<Extent>('quick');
  const [percent, setPercent] = useState<number | undefined>(SAMPLE_PERCENT);
  const start = async (isShown: () => boolean): Promise<void> => {
    const readPercent = extent === 'all' ? 100 : (percent ?? SAMPLE_PERCENT);
    const { run } = await call('runs.check', {
      destination: destination?.id,
      ...(extent === 'quick' ? {} : { readPercent }),
    });
    if (!isShown()) return;
    onClose();
    onStarted(run);
  };
  return (
    <ConfirmDialog
      title={destination ? words.dialogTitleAt(destination.name) : words.dialogTitle}
      confirm={words.start}
      isDangerous={false}
      work={start}
      onClose={onClose}
    >
      <p>{words.dialogText}</p>
      <RadioCards
        label={words.dialogTitle}
        isLabelHidden
        value={extent}
        cards={[
          { value: 'quick', title: words.quick, hint: words.quickHint },
          { value: 'sample', title: words.sample, hint: words.sampleHint },
          { value: 'all', title: words.all, hint: words.allHint },
        ]}
        onChange={setExtent}
      />
      {extent === 'sample' && (
        <NumberField
          label={words.samplePercent}
          unit="%"
          value={percent}
          minimum={1}
          maximum={100}
          onChange={setPercent}
        />
      )}
    </ConfirmDialog>
  );
}
