import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { Factor, SignInStep } from '../../../ipc/setup.ts';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../ui/button.tsx';
import { ModalDialog } from '../../ui/modal-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useAction } from '../../use-action.ts';
import { useLanguage } from '../../use-language.ts';

interface SignInDialogProps {
  readonly url: string;
  readonly onClose: () => void;
}

/** Signs in anew at the service that backups go to: the password first, a code where the service asks for one. */
export function SignInDialog({ url, onClose }: SignInDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const [factors, setFactors] = useState<readonly Factor[]>();
  const { isPending, failure, run } = useAction();
  const factor = factors?.find(({ kind }) => kind === 'totp') ?? factors?.[0];

  const close = (): void => {
    run(() => call('setup.cancel', {}).then(onClose, onClose));
  };
  const goOn = async (step: SignInStep): Promise<void> => {
    if (step.kind === 'factors') {
      setFactors(step.factors);
      return;
    }
    await call('setup.sign-in-again', {});
    onClose();
  };
  const submit = async (form: FormData): Promise<void> => {
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    await goOn(
      factor
        ? await call('setup.verify-factor', { factor: factor.id, code: text('code').trim() })
        : await call('setup.sign-in', { url, email: text('email').trim(), password: text('password') }),
    );
  };
  return (
    <ModalDialog title={words.signInTitle} onClose={close}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          run(() => submit(form));
        }}
      >
        <p className="ui-soft settings-text">{url}</p>
        {factor ? (
          <TextField
            key="code"
            label={words.code}
            name="code"
            hint={words.codeHint}
            inputMode="numeric"
            autoComplete="one-time-code"
            isRequired
            takesFocus
          />
        ) : (
          <>
            <TextField label={words.email} name="email" type="email" autoComplete="username" isRequired takesFocus />
            <TextField
              label={words.password}
              name="password"
              type="password"
              autoComplete="current-password"
              isRequired
            />
          </>
        )}
        <FailureNotice failure={failure} />
        <div className="ui-actions">
          <Button onPress={close}>{strings.common.cancel}</Button>
          <Button kind="primary" type="submit" isPending={isPending}>
            {words.signIn}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
