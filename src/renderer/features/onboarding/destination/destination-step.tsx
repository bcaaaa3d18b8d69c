import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { DestinationChoice, Trial } from '../../../../ipc/contract/setup.ts';
import { call } from '../../../bridge/bridge.ts';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { DestinationFailure } from '../../destination-choice/destination-failure.tsx';
import { DestinationPicker } from '../../destination-choice/destination-picker.tsx';
import { choiceOf, isComplete, suggestedDestination, withChoice } from '../../destination-choice/destination-draft.ts';
import type { DestinationDraft } from '../../destination-choice/destination-draft.ts';
import { StepPage } from '../page/step-page.tsx';
import type { CallResource } from '../../../bridge/use-call.ts';

const LOOK_AGAIN = 4_000;

export type Disks = CallResource<'setup.disks'>;

interface DestinationStepProps {
  readonly draft: DestinationDraft;
  readonly disks: Disks;
  readonly onChange: (draft: DestinationDraft) => void;
  readonly onTried: (destination: DestinationChoice, trial: Trial) => void;
}

/** Chooses the destination. It is tested here and saved later. */
export function DestinationStep({ draft: entered, disks, onChange, onTried }: DestinationStepProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.onboarding.destination;
  const action = useAction();
  const [isChecked, setChecked] = useState(false);
  const suggested = disks.kind === 'ready' ? suggestedDestination(disks.value.disks) : undefined;
  const draft = { ...entered, card: entered.card ?? suggested };
  const choice = choiceOf(draft);
  const { reload } = disks;
  useEffect(() => {
    // A disk that is plugged in now appears by itself.
    const timer = setInterval(reload, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [reload]);
  const test = (destination = choice): void => {
    setChecked(true);
    if (!destination || !isComplete(destination)) return;
    action.run(async () => onTried(destination, await call('setup.try', { destination })));
  };
  const change = (next: DestinationDraft): void => {
    action.clear();
    setChecked(false);
    onChange(next);
  };
  return (
    <StepPage
      title={words.title}
      intro={words.intro}
      next={words.test}
      isPending={action.isPending}
      onNext={() => test()}
    >
      <Loaded resource={disks}>
        {(found) => <DestinationPicker draft={draft} disks={found.disks} isChecked={isChecked} onChange={change} />}
      </Loaded>
      <DestinationFailure
        choice={choice}
        failure={action.failure}
        onConfirm={(confirmed) => {
          change(withChoice(draft, confirmed));
          test(confirmed);
        }}
      />
    </StepPage>
  );
}
