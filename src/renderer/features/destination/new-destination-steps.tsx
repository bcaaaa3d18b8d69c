import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../bridge/bridge.ts';
import { useCall } from '../../bridge/use-call.ts';
import { ChooseDestination } from '../onboarding/destination/choose-destination.tsx';
import type { ChooseDestinationStep, Tested } from '../onboarding/destination/choose-destination.tsx';
import { EMPTY_DRAFT } from '../onboarding/page/draft.ts';
import type { Draft } from '../onboarding/page/draft.ts';

type Step = ChooseDestinationStep | ({ readonly kind: 'confirm'; readonly email: string | undefined } & Tested);

/** A destination that was chosen and tested. */
export interface ChosenDestination extends Tested {
  /** The account, at a service. */
  readonly email: string | undefined;
  readonly onBack: () => void;
}

interface NewDestinationStepsProps {
  /** Renders the last step, which confirms what was chosen. */
  readonly confirm: (chosen: ChosenDestination) => ReactElement;
}

/** The steps from choosing a new destination to new backups there. */
export function NewDestinationSteps({ confirm }: NewDestinationStepsProps): ReactElement {
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [step, setStep] = useState<Step>({ kind: 'destination' });
  const disks = useCall('setup.disks', {});
  useEffect(
    () => () => {
      // Cancelling also ends a sign-in for the new destination.
      void call('setup.cancel', {}).catch(() => undefined);
    },
    [],
  );
  if (step.kind === 'confirm') {
    const { destination, trial, email } = step;
    return confirm({ destination, trial, email, onBack: () => setStep({ kind: 'destination' }) });
  }
  return (
    <ChooseDestination
      step={step}
      draft={draft}
      disks={disks}
      onStep={setStep}
      onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
      onChosen={(tested, signedIn) => setStep({ kind: 'confirm', email: signedIn?.email, ...tested })}
    />
  );
}
