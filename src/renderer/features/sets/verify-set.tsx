import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { RadioCards } from '../../../ui/choices/radio-cards.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';

const SAMPLE_PERCENT = 10;

interface VerifySetProps {
  readonly set: string;
  readonly onClose: () => void;
}

/** A check of what is stored, begun by hand. */
export function VerifySet({ set, onClose }: VerifySetProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.verify;
  const [extent, setExtent] = useState<'quick' | 'whole'>('quick');
  const { isPending, failure, run } = useAction();
  const samplePercent = extent === 'whole' ? 100 : SAMPLE_PERCENT;
  return (
    <ModalDialog title={words.title(set)} onClose={onClose}>
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
      <FailureNotice failure={failure} />
      <div className="ui-actions">
        <Button onPress={onClose}>{strings.common.cancel}</Button>
        <Button
          kind="primary"
          isPending={isPending}
          onPress={() => run(() => call('runs.verify', { set, samplePercent }).then(onClose))}
        >
          {words.start}
        </Button>
      </div>
    </ModalDialog>
  );
}
