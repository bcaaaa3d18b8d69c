import { useState } from 'react';
import type { ReactElement } from 'react';
import type { SignInStep as Signed, Trial } from '../../../ipc/setup.ts';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useAction } from '../../use-action.ts';
import { useLanguage } from '../../use-language.ts';
import type { Draft } from './draft.ts';
import { StepPage } from './step-page.tsx';

interface SignInStepProps {
  readonly draft: Draft;
  readonly url: string;
  readonly trial: Trial;
  /** An earlier sign-in took too long. */
  readonly isOver: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onSigned: (signed: Signed) => void;
  readonly onBack: () => void;
}

/** Who the person is at the service, by password or through the identity provider. */
export function SignInStep(props: SignInStepProps): ReactElement {
  const { draft, url, trial, isOver, onChange, onSigned, onBack } = props;
  const { strings } = useLanguage();
  const words = strings.onboarding.signIn;
  const password = useAction();
  const provider = useAction();
  const [isChecked, setChecked] = useState(false);
  const ways = trial.signIn ?? { password: true, provider: false };
  const email = draft.email.trim();
  const error = { error: strings.onboarding.place.missing };
  const byPassword = (): void => {
    setChecked(true);
    if (email === '' || draft.password === '' || provider.isPending) return;
    provider.clear();
    password.run(async () => onSigned(await call('setup.sign-in', { url, email, password: draft.password })));
  };
  const byProvider = (): void => {
    password.clear();
    provider.run(async () => onSigned(await call('setup.sign-in-with-provider', { url })));
  };
  const back = (): void => {
    // Whatever waits in the browser has nobody to answer to any more.
    void call('setup.cancel', {}).catch(() => undefined);
    onBack();
  };
  return (
    <StepPage
      title={words.title}
      intro={words.intro(trial.place)}
      next={ways.password ? words.submit : words.provider}
      isPending={ways.password ? password.isPending : provider.isPending}
      onNext={ways.password ? byPassword : byProvider}
      onBack={back}
    >
      {isOver && password.failure === undefined && <Notice tone="warning">{words.over}</Notice>}
      {ways.password && (
        <div className="first-fields">
          <TextField
            label={words.email}
            name="email"
            type="email"
            autoComplete="username"
            value={draft.email}
            {...(isChecked && email === '' ? error : {})}
            onChange={(next) => onChange({ email: next })}
          />
          <TextField
            label={words.password}
            name="password"
            type="password"
            autoComplete="current-password"
            value={draft.password}
            {...(isChecked && draft.password === '' ? error : {})}
            onChange={(next) => onChange({ password: next })}
          />
        </div>
      )}
      <FailureNotice failure={password.failure} />
      {ways.provider && (
        <div className="first-provider">
          {ways.password && <p className="first-or ui-soft">{words.or}</p>}
          <p className="ui-soft">{provider.isPending ? words.waiting : words.providerHint}</p>
          {ways.password && (
            <div>
              <Button isPending={provider.isPending} onPress={byProvider}>
                {words.provider}
              </Button>
            </div>
          )}
          <FailureNotice failure={provider.failure} />
        </div>
      )}
    </StepPage>
  );
}
