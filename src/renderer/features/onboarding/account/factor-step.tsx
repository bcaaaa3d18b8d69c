import type { ReactElement } from 'react';
import { isHoldfastError } from '../../../../base/errors/errors.ts';
import type { Factor, SignInStep } from '../../../../ipc/contract/setup.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { FactorFields } from '../../account/factor-fields.tsx';
import { useFactor } from '../../account/use-factor.ts';
import { StepPage } from '../page/step-page.tsx';

interface FactorStepProps {
  readonly factors: readonly Factor[];
  readonly onSigned: (signed: SignInStep) => void;
  /** The sign-in has expired. */
  readonly onOver: () => void;
  readonly onBack: () => void;
}

/** The second factor of an account: a code of the app or a recovery code. */
export function FactorStep({ factors, onSigned, onOver, onBack }: FactorStepProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.onboarding.factor;
  const action = useAction();
  const entry = useFactor(factors);
  const verify = (): void => {
    const given = entry.check();
    if (!given) return;
    action.run(async (isShown) => {
      try {
        const result = await call('setup.verify-factor', given);
        if (isShown()) onSigned(result);
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        if (error.code === 'signed_out') return isShown() && onOver();
        if (error.code !== 'code_wrong') throw error;
        entry.refuse();
      }
    });
  };
  return (
    <StepPage
      title={words.title}
      intro={words.intro}
      next={strings.account.confirm}
      isPending={action.isPending}
      onNext={verify}
      onBack={onBack}
    >
      <div className="first-code">
        <FactorFields entry={entry} />
      </div>
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}
