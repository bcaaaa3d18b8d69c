import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { DestinationChoice, Trial } from '../../../../ipc/contract/setup.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { destinationOf, suggestedDestination } from '../page/draft.ts';
import type { Draft } from '../page/draft.ts';
import { DestinationCards } from './destination-cards.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { StepPage } from '../page/step-page.tsx';
import type { CallResource } from '../../../bridge/use-call.ts';
import './destination-step.css';

const LOOK_AGAIN = 4_000;

export type Disks = CallResource<'setup.disks'>;

interface DestinationStepProps {
  readonly draft: Draft;
  readonly disks: Disks;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onTried: (destination: DestinationChoice, trial: Trial) => void;
}

/** Chooses the destination. It is tested here and saved later. */
export function DestinationStep({ draft, disks, onChange, onTried }: DestinationStepProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.onboarding.destination;
  const action = useAction();
  const [isChecked, setChecked] = useState(false);
  const choice = draft.choice ?? (disks.kind === 'ready' ? suggestedDestination(disks.value.disks) : undefined);
  const { reload } = disks;
  useEffect(() => {
    // A disk that is plugged in now appears by itself.
    const timer = setInterval(reload, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [reload]);
  const test = (): void => {
    const destination = destinationOf(draft, choice);
    setChecked(true);
    if (!destination) return;
    action.run(async () => onTried(destination, await call('setup.try', { destination })));
  };
  const choose = (change: Partial<Draft>): void => {
    action.clear();
    setChecked(false);
    onChange(change);
  };
  return (
    <StepPage title={words.title} intro={words.intro} next={words.test} isPending={action.isPending} onNext={test}>
      <Loaded resource={disks}>
        {(found) => (
          <DestinationCards disks={found.disks} value={choice} onChoose={(value) => choose({ choice: value })} />
        )}
      </Loaded>
      {isChecked && choice === undefined && (
        <p role="alert" className="ui-field-error">
          {words.choiceMissing}
        </p>
      )}
      <DestinationFields draft={draft} choice={choice} isChecked={isChecked} onChange={choose} />
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}
