import { useState } from 'react';
import type { ReactElement } from 'react';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { ConfirmStep } from './confirm-step.tsx';
import type { Draft } from '../page/draft.ts';
import { PhraseStep } from './phrase-step.tsx';
import { StepPage } from '../page/step-page.tsx';
import { CheckedList } from '../page/checked-list.tsx';

interface PhrasePartProps {
  readonly draft: Draft;
  readonly isConfirmed: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onConfirmed: () => void;
  readonly onNext: () => void;
  readonly onBack: () => void;
}

/** The second of the three steps: the phrase, and the check of two words. */
export function PhrasePart(props: PhrasePartProps): ReactElement {
  return props.isConfirmed ? <PhraseDone {...props} /> : <PhraseOpen {...props} />;
}

function PhraseDone({ onNext, onBack }: PhrasePartProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.onboarding.phrase;
  return (
    <StepPage title={words.done} intro={words.doneHint} next={strings.common.next} onNext={onNext} onBack={onBack}>
      <CheckedList facts={[words.words]} />
    </StepPage>
  );
}

function PhraseOpen({ draft, onChange, onConfirmed, onNext, onBack }: PhrasePartProps): ReactElement {
  const answer = useCall('setup.phrase', {});
  const [isAsking, setAsking] = useState(false);
  return (
    <Loaded resource={answer}>
      {({ words, ask }) =>
        isAsking ? (
          <ConfirmStep
            draft={draft}
            words={words}
            ask={ask}
            onChange={onChange}
            onConfirmed={onConfirmed}
            onBack={() => setAsking(false)}
          />
        ) : (
          <PhraseStep words={words} onNext={() => setAsking(true)} onLater={onNext} onBack={onBack} />
        )
      }
    </Loaded>
  );
}
