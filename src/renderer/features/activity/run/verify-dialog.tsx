import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { openRun } from '../../../shared/opened-run.ts';

interface VerifyDialogProps {
  readonly set: string;
  readonly onClose: () => void;
}

const SAMPLE_PERCENT = 10;

/** Asks how much to verify, and starts the run. */
export function VerifyDialog({ set, onClose }: VerifyDialogProps): ReactElement {
  const words = useLanguage().strings.activity;
  const [amount, setAmount] = useState<'sample' | 'all'>('sample');
  const start = async (isShown: () => boolean): Promise<void> => {
    const begun = await call('runs.verify', { set, samplePercent: amount === 'all' ? 100 : SAMPLE_PERCENT });
    if (!isShown()) return;
    onClose();
    openRun(begun.run);
  };
  return (
    <ConfirmDialog
      title={words.verifyTitle(set)}
      confirm={words.verifyStart}
      isDangerous={false}
      work={start}
      onClose={onClose}
    >
      <p>{words.verifyBody}</p>
      <RadioCards
        label={words.verifyTitle(set)}
        isLabelHidden
        value={amount}
        cards={[
          { value: 'sample', title: words.verifySample, hint: words.verifySampleHint },
          { value: 'all', title: words.verifyAll, hint: words.verifyAllHint },
        ]}
        onChange={setAmount}
      />
    </ConfirmDialog>
  );
}
