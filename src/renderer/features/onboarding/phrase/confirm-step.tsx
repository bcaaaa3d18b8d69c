import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Draft } from '../page/draft.ts';
import { StepPage } from '../page/step-page.tsx';

interface ConfirmStepProps {
  readonly draft: Draft;
  readonly words: readonly string[];
  /** Indexes of the two words. */
  readonly ask: readonly number[];
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onConfirmed: () => void;
  readonly onBack: () => void;
}

/** Asks for two words of the phrase, to make sure that it was written down. */
export function ConfirmStep({ draft, words, ask, onChange, onConfirmed, onBack }: ConfirmStepProps): ReactElement {
  const { confirm, phrase } = useLanguage().strings.onboarding;
  const action = useAction();
  const [wrong, setWrong] = useState<readonly number[]>([]);
  const check = (): void => {
    const missed = [0, 1].filter((index) => plain(draft.confirmed[index] ?? '') !== words[ask[index]!]);
    setWrong(missed);
    if (missed.length > 0) return;
    action.run(async () => {
      const { isRight } = await call('setup.confirm-phrase', { words: draft.confirmed.map(plain) });
      if (isRight) onConfirmed();
      else setWrong([0, 1]);
    });
  };
  return (
    <StepPage
      title={confirm.title}
      intro={confirm.intro}
      next={confirm.submit}
      isPending={action.isPending}
      aside={
        wrong.length > 0 && (
          <Button kind="quiet" onPress={onBack}>
            {confirm.look}
          </Button>
        )
      }
      onNext={check}
      onBack={onBack}
    >
      <div className="ui-stack first-fields-pairs">
        {ask.map((position, index) => (
          <TextField
            key={position}
            label={phrase.word(position + 1)}
            name={`word-${position + 1}`}
            autoComplete="off"
            value={draft.confirmed[index] ?? ''}
            error={wrong.includes(index) ? confirm.wrong(position + 1) : undefined}
            onChange={(next) => {
              setWrong((before) => before.filter((one) => one !== index));
              onChange({ confirmed: index === 0 ? [next, draft.confirmed[1]] : [draft.confirmed[0], next] });
            }}
          />
        ))}
      </div>
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}

function plain(word: string): string {
  return word.trim().normalize('NFKD').toLowerCase();
}
