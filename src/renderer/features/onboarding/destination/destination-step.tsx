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

export type Places = CallResource<'setup.places'>;

interface DestinationStepProps {
  readonly draft: Draft;
  readonly places: Places;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onTried: (destination: DestinationChoice, trial: Trial) => void;
}

/** Chooses the destination. It is tested here and saved later. */
export function DestinationStep({ draft, places, onChange, onTried }: DestinationStepProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.onboarding.place;
  const action = useAction();
  const [isChecked, setChecked] = useState(false);
  const place = draft.place ?? (places.kind === 'ready' ? suggestedDestination(places.value.places) : undefined);
  const { reload } = places;
  useEffect(() => {
    // A disk that is plugged in now appears by itself.
    const timer = setInterval(reload, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [reload]);
  const test = (): void => {
    const destination = destinationOf(draft, place);
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
      <Loaded resource={places}>
        {(found) => (
          <DestinationCards places={found.places} value={place} onChoose={(value) => choose({ place: value })} />
        )}
      </Loaded>
      {isChecked && place === undefined && (
        <p role="alert" className="ui-field-error">
          {words.choiceMissing}
        </p>
      )}
      <DestinationFields draft={draft} place={place} isChecked={isChecked} onChange={choose} />
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}
