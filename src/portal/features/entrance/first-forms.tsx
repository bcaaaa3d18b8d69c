import { useState } from 'react';
import type { ReactElement } from 'react';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { entrance } from '../../api/calls.ts';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { addressValue } from '../../use-section.ts';
import { EntranceForm } from './entrance-form.tsx';

const SHORTEST_PASSWORD = 8;

interface FirstFormProps {
  readonly onChallenge: (challenge: SignInChallenge) => void;
}

/** @param onForgotten shown as a button if the service mails links for new passwords */
export function SignInForm({
  onChallenge,
  onForgotten,
}: FirstFormProps & { readonly onForgotten: (() => void) | undefined }): ReactElement {
  const { strings } = useLanguage();
  return (
    <EntranceForm
      submit={strings.entrance.signIn}
      work={(form) => entrance.signIn(formText(form, 'email'), formText(form, 'password')).then(onChallenge)}
      foot={
        onForgotten && (
          <Button kind="quiet" onPress={onForgotten}>
            {strings.entrance.forgotten}
          </Button>
        )
      }
    >
      <EmailField takesFocus />
      <PasswordField isNew={false} />
    </EntranceForm>
  );
}

export function SetUpForm({ onChallenge }: FirstFormProps): ReactElement {
  const { strings } = useLanguage();
  const given = addressValue('set-up', 'token');
  return (
    <EntranceForm
      submit={strings.entrance.next}
      work={(form) =>
        entrance
          .setUp({
            setup_token: formText(form, 'token').trim(),
            email: formText(form, 'email'),
            password: formText(form, 'password'),
          })
          .then(onChallenge)
      }
    >
      <p className="ui-soft">{strings.entrance.setUpLead}</p>
      <TextField
        label={strings.entrance.setUpToken}
        hint={strings.entrance.setUpTokenHint}
        name="token"
        defaultValue={given ?? ''}
        autoComplete="off"
        takesFocus={given === undefined}
        isRequired
      />
      <EmailField takesFocus={given !== undefined} />
      <PasswordField isNew />
    </EntranceForm>
  );
}

export function JoinForm({ token, onChallenge }: FirstFormProps & { readonly token: string }): ReactElement {
  const { strings } = useLanguage();
  return (
    <EntranceForm
      submit={strings.entrance.next}
      work={(form) => entrance.join(token, formText(form, 'password')).then(onChallenge)}
    >
      <p className="ui-soft">{strings.entrance.joinLead}</p>
      <PasswordField isNew />
    </EntranceForm>
  );
}

/** Asks for a link by mail. */
export function RecoverForm({ onBack }: { readonly onBack: () => void }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.entrance;
  const [isSent, setSent] = useState(false);
  const back = (
    <Button kind="quiet" onPress={onBack}>
      {words.back}
    </Button>
  );
  if (isSent) {
    return (
      <>
        <Notice tone="plain">{words.recoverSent}</Notice>
        <div className="portal-entrance-foot">{back}</div>
      </>
    );
  }
  return (
    <EntranceForm
      submit={words.recoverSend}
      work={(form) => entrance.recover(formText(form, 'email')).then(() => setSent(true))}
      foot={back}
    >
      <p className="ui-soft">{words.recoverLead}</p>
      <EmailField takesFocus />
    </EntranceForm>
  );
}

/** Chooses a new password with the token of a mailed link. */
export function ResetForm({ token, onChallenge }: FirstFormProps & { readonly token: string }): ReactElement {
  const { strings } = useLanguage();
  return (
    <EntranceForm
      submit={strings.entrance.next}
      work={(form) => entrance.reset(token, formText(form, 'password')).then(onChallenge)}
    >
      <p className="ui-soft">{strings.entrance.resetLead}</p>
      <PasswordField isNew />
    </EntranceForm>
  );
}

function EmailField({ takesFocus }: { readonly takesFocus: boolean }): ReactElement {
  const { strings } = useLanguage();
  return (
    <TextField
      label={strings.entrance.email}
      name="email"
      type="email"
      autoComplete="username"
      takesFocus={takesFocus}
      isRequired
    />
  );
}

function PasswordField({ isNew }: { readonly isNew: boolean }): ReactElement {
  const { strings } = useLanguage();
  return isNew ? (
    <TextField
      label={strings.entrance.newPassword}
      hint={strings.entrance.passwordHint}
      name="password"
      type="password"
      autoComplete="new-password"
      minLength={SHORTEST_PASSWORD}
      isRequired
    />
  ) : (
    <TextField
      label={strings.entrance.password}
      name="password"
      type="password"
      autoComplete="current-password"
      isRequired
    />
  );
}
