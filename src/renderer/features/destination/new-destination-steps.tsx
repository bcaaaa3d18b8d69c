import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { DestinationChoice, Factor, SignInStep as Signed, Trial } from '../../../ipc/contract/setup.ts';
import { call } from '../../bridge/bridge.ts';
import { useCall } from '../../bridge/use-call.ts';
import { EMPTY_DRAFT } from '../onboarding/page/draft.ts';
import type { Draft } from '../onboarding/page/draft.ts';
import { FactorStep } from '../onboarding/account/factor-step.tsx';
import { DestinationStep } from '../onboarding/destination/destination-step.tsx';
import { SignInStep } from '../onboarding/account/sign-in-step.tsx';
import { ConfirmChangeStep } from './confirm-change-step.tsx';

interface Tried {
  readonly destination: DestinationChoice;
  readonly trial: Trial;
}

type Step =
  | { readonly kind: 'place' }
  | ({ readonly kind: 'sign-in'; readonly isOver: boolean } & Tried)
  | ({ readonly kind: 'factor'; readonly factors: readonly Factor[] } & Tried)
  | ({ readonly kind: 'begin'; readonly email?: string } & Tried);

interface NewDestinationStepsProps {
  /** Where backups go now. */
  readonly old: string;
  readonly onDone: () => void;
}

/** The steps from choosing a new destination to new backups there. */
export function NewDestinationSteps({ old, onDone }: NewDestinationStepsProps): ReactElement {
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [step, setStep] = useState<Step>({ kind: 'place' });
  const places = useCall('setup.places', {});
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  useEffect(
    () => () => {
      // Cancelling also ends a sign-in for the new destination.
      void call('setup.cancel', {}).catch(() => undefined);
    },
    [],
  );
  const signed = ({ destination, trial }: Tried, next: Signed): void => {
    if (next.kind === 'factors') setStep({ kind: 'factor', factors: next.factors, destination, trial });
    else setStep({ kind: 'begin', email: next.email, destination, trial });
  };
  switch (step.kind) {
    case 'place':
      return (
        <DestinationStep
          draft={draft}
          places={places}
          onChange={change}
          onTried={(destination, trial) =>
            setStep(
              destination.kind === 'service'
                ? { kind: 'sign-in', isOver: false, destination, trial }
                : { kind: 'begin', destination, trial },
            )
          }
        />
      );
    case 'sign-in':
      return (
        <SignInStep
          draft={draft}
          url={step.destination.kind === 'service' ? step.destination.url : step.trial.place}
          trial={step.trial}
          isOver={step.isOver}
          onChange={change}
          onSigned={(next) => signed(step, next)}
          onBack={() => setStep({ kind: 'place' })}
        />
      );
    case 'factor':
      return (
        <FactorStep
          factors={step.factors}
          onSigned={(next) => signed(step, next)}
          onOver={() => setStep({ ...step, kind: 'sign-in', isOver: true })}
          onBack={() => setStep({ ...step, kind: 'sign-in', isOver: false })}
        />
      );
    case 'begin':
      return (
        <ConfirmChangeStep
          old={old}
          destination={step.destination}
          trial={step.trial}
          email={step.email}
          onDone={onDone}
          onBack={() => setStep({ kind: 'place' })}
        />
      );
  }
}
