import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { LockPasswordField, useAsksLockPassword } from '../../lock/lock-password-field.tsx';

interface SaveKitProps {
  readonly isPhraseConfirmed: boolean;
  readonly onSaved: (path: string | undefined) => void;
}

/** The button that saves the recovery kit. It needs the password of the lock if showing the phrase does. */
export function SaveKit({ isPhraseConfirmed, onSaved }: SaveKitProps): ReactElement {
  const words = useLanguage().strings.settings;
  const asksPassword = useAsksLockPassword() && isPhraseConfirmed;
  const [isAsking, setAsking] = useState(false);
  const [password, setPassword] = useState('');
  const { isPending, failure, run } = useAction();
  const close = (): void => {
    setAsking(false);
    setPassword('');
  };
  const save = async (given: { readonly password?: string }): Promise<void> => {
    onSaved((await call('shell.save-kit', given)).path);
    close();
  };
  return (
    <>
      <Button isPending={isPending} onPress={() => (asksPassword ? setAsking(true) : run(() => save({})))}>
        {words.saveKit}
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title={words.revealTitle}
          confirm={words.saveKit}
          isDangerous={false}
          work={() => save(password === '' ? {} : { password })}
          onClose={close}
        >
          <p>{words.revealText}</p>
          <LockPasswordField value={password} onChange={setPassword} />
        </ConfirmDialog>
      ) : (
        <FailureNotice failure={failure} />
      )}
    </>
  );
}
