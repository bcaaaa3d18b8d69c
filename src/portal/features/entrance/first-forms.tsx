import type { ReactElement, ReactNode } from 'react';
import { Form } from 'react-aria-components';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { entrance } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { addressValue } from '../../use-section.ts';

const SHORTEST_PASSWORD = 8;

interface FirstFormProps {
  readonly onChallenge: (challenge: SignInChallenge) => void;
}

export function SignInForm({ onChallenge }: FirstFormProps): ReactElement {
  return (
    <ChallengeForm
      ask={(field) => entrance.signIn(field('email'), field('password'))}
      submit="signIn"
      onChallenge={onChallenge}
    >
      <EmailField takesFocus />
      <PasswordField isNew={false} />
    </ChallengeForm>
  );
}

export function SetUpForm({ onChallenge }: FirstFormProps): ReactElement {
  const { strings } = useLanguage();
  const given = addressValue('set-up', 'token');
  return (
    <ChallengeForm
      ask={(field) =>
        entrance.setUp({ setup_token: field('token').trim(), email: field('email'), password: field('password') })
      }
      submit="next"
      onChallenge={onChallenge}
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
    </ChallengeForm>
  );
}

export function JoinForm({ token, onChallenge }: FirstFormProps & { readonly token: string }): ReactElement {
  const { strings } = useLanguage();
  return (
    <ChallengeForm ask={(field) => entrance.join(token, field('password'))} submit="next" onChallenge={onChallenge}>
      <p className="ui-soft">{strings.entrance.joinLead}</p>
      <PasswordField isNew />
    </ChallengeForm>
  );
}

interface ChallengeFormProps extends FirstFormProps {
  readonly ask: (field: (name: string) => string) => Promise<SignInChallenge>;
  readonly submit: 'signIn' | 'next';
  readonly children: ReactNode;
}

function ChallengeForm({ ask, submit, onChallenge, children }: ChallengeFormProps): ReactElement {
  const { strings } = useLanguage();
  const action = useAction();
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        const fields = event.currentTarget;
        action.run(() => ask((name) => formText(fields, name)).then(onChallenge));
      }}
    >
      {children}
      <FailureNotice failure={action.failure} />
      <Button kind="primary" type="submit" isPending={action.isPending}>
        {strings.entrance[submit]}
      </Button>
    </Form>
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
