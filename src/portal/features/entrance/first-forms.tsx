import type { ReactElement } from 'react';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
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

export function SignInForm({ onChallenge }: FirstFormProps): ReactElement {
  const { strings } = useLanguage();
  return (
    <EntranceForm
      submit={strings.entrance.signIn}
      work={(form) => entrance.signIn(formText(form, 'email'), formText(form, 'password')).then(onChallenge)}
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
