import type { ReactElement } from 'react';
import type { DestinationChoice, Factor, SignInStep as SignInResult, Trial } from '../../../../ipc/contract/setup.ts';
import { FactorStep } from '../account/factor-step.tsx';
import { SignInStep } from '../account/sign-in-step.tsx';
import type { Draft } from '../page/draft.ts';
import { DestinationStep } from './destination-step.tsx';
import type { Disks } from './destination-step.tsx';

/** A destination that was tested. */
export interface Tested {
  readonly destination: DestinationChoice;
  readonly trial: Trial;
}

export type SignedIn = Extract<SignInResult, { kind: 'signed-in' }>;

export type ChooseDestinationStep =
  | { readonly kind: 'destination' }
  | ({ readonly kind: 'sign-in'; readonly isOver: boolean } & Tested)
  | ({ readonly kind: 'factor'; readonly factors: readonly Factor[] } & Tested);

interface ChooseDestinationProps {
  readonly step: ChooseDestinationStep;
  readonly draft: Draft;
  readonly disks: Disks;
  /** There is no destination yet, so the person may have backups already. */
  readonly isFirst?: boolean;
  readonly onStep: (step: ChooseDestinationStep) => void;
  readonly onChange: (change: Partial<Draft>) => void;
  /** Called after the test, and after the sign-in at a service. */
  readonly onChosen: (tested: Tested, signedIn?: SignedIn) => void;
}

/** The steps that choose a destination and sign in at a service. The parent holds the step. */
export function ChooseDestination(props: ChooseDestinationProps): ReactElement {
  const { step, draft, disks, isFirst = false, onStep, onChange, onChosen } = props;
  const signed = ({ destination, trial }: Tested, result: SignInResult): void => {
    if (result.kind === 'factors') onStep({ kind: 'factor', factors: result.factors, destination, trial });
    else onChosen({ destination, trial }, result);
  };
  switch (step.kind) {
    case 'destination':
      return (
        <DestinationStep
          draft={draft.destination}
          disks={disks}
          aim={draft.aim}
          onAim={isFirst ? (aim) => onChange({ aim }) : undefined}
          onChange={(destination) => onChange({ destination })}
          onTried={(destination, trial) => {
            if (destination.kind === 'service') onStep({ kind: 'sign-in', isOver: false, destination, trial });
            else onChosen({ destination, trial });
          }}
        />
      );
    case 'sign-in':
      return (
        <SignInStep
          draft={draft}
          url={step.destination.kind === 'service' ? step.destination.url : step.trial.location}
          trial={step.trial}
          isOver={step.isOver}
          onChange={onChange}
          onSigned={(result) => signed(step, result)}
          onBack={() => onStep({ kind: 'destination' })}
        />
      );
    case 'factor':
      return (
        <FactorStep
          factors={step.factors}
          onSigned={(result) => signed(step, result)}
          onOver={() => onStep({ ...step, kind: 'sign-in', isOver: true })}
          onBack={() => onStep({ ...step, kind: 'sign-in', isOver: false })}
        />
      );
  }
}
