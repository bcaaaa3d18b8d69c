import { useState } from 'react';
import type { ReactElement } from 'react';
import type { SignInStep as Signed, Trial } from '../../../../ipc/contract/setup.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { PasswordFields } from '../../account/password-fields.tsx';
import { ProviderPart } from '../../account/provider-part.tsx';
import type { Draft } from '../page/draft.ts';
import { StepPage } from '../page/step-page.tsx';
import { Unencrypted } from '../../destination-choice/unencrypted.tsx';

interface SignInStepProps {
  readonly draft: Draft;
  readonly url: string;
  readonly trial: Trial;
  /** An earlier sign-in has expired. */
  readonly isOver: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onSigned: (signed: Signed) => void;
  readonly onBack: () => void;
}

/** Sign-in at the service, by password or through the identity provider. */
export function SignInStep(props: SignInStepProps): ReactElement {
  const { draft, url, trial, isOver, onChange, onSigned, onBack } = props;
  const { strings } = useLanguage();
  const words = strings.account;
  const password = useAction();
  const provider = useAction();
  const [isChecked, setChecked] = useState(false);
  const ways = trial.signIn ?? { password: true, provider: false };
  const email = draft.email.trim();
  const byPassword = (): void => {
    setChecked(true);
    if (email === '' || draft.password === '') return;
    provider.clear();
    password.run(async (isShown) => {
      const result = await call('setup.sign-in', { url, email, password: draft.password });
      if (isShown()) onSigned(result);
    });
  };
  const byProvider = (): void => {
    password.clear();
    provider.run(async (isShown) => {
      const result = await call('setup.sign-in-with-provider', { url });
      if (isShown()) onSigned(result);
    });
  };
  /** Ends a sign-in that is still waiting in the browser. */
  const stop = (): void => void call('setup.cancel', {}).catch(() => undefined);
  const back = (): void => {
    stop();
    onBack();
  };
  return (
    <StepPage
      title={strings.onboarding.signIn.title}
      intro={strings.onboarding.signIn.intro(trial.location)}
      next={ways.password ? words.signIn : words.provider}
      isPending={ways.password ? password.isPending : provider.isPending}
      onNext={ways.password ? byPassword : byProvider}
      onBack={back}
    >
      <Unencrypted address={trial.location} />
      {isOver && password.failure === undefined && <Notice tone="warning">{words.over}</Notice>}
      {ways.password && <PasswordFields entry={draft} isChecked={isChecked} onChange={onChange} />}
      <FailureNotice failure={password.failure} />
      {ways.provider && <ProviderPart action={provider} isOnly={!ways.password} onBegin={byProvider} onStop={stop} />}
    </StepPage>
  );
}
