import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../bridge/bridge.ts';
import { RadioCards } from '../../../ui/choices/radio-cards.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';

const SAMPLE_PERCENT = 10;

interface VerifySetProps {
  readonly set: string;
  readonly onClose: () => void;
}

/** Starts a verification of the set by hand. */
export function VerifySet({ set, onClose }: VerifySetProps): ReactElement {
  const words = useLanguage().strings.sets.verify;
  const [extent, setExtent] = useState<'quick' | 'whole'>('quick');
  const samplePercent = extent === 'whole' ? 100 : SAMPLE_PERCENT;
  return (
    <ConfirmDialog
      title={words.title(set)}
      confirm={words.start}
      isDangerous={false}
      work={() => call('runs.verify', { set, samplePercent }).then(onClose)}
      onClose={onClose}
    >
      <p className="ui-soft">{words.hint}</p>
      <RadioCards
        label={words.label}
        value={extent}
        onChange={setExtent}
        cards={[
          { value: 'quick', title: words.quick, hint: words.quickHint },
          { value: 'whole', title: words.whole, hint: words.wholeHint },
        ]}
      />
    </ConfirmDialog>
  );
}
