import type { ReactElement } from 'react';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { call } from '../../bridge/bridge.ts';
import { SignInForm } from './sign-in-form.tsx';
import type { SignInFormProps } from './sign-in-form.tsx';

interface SignInDialogProps extends Omit<SignInFormProps, 'onCancel'> {
  readonly title: string;
  readonly onClose: () => void;
}

/** A person signs in at the service in a dialog. Closing it ends a sign-in that is still waiting in the browser. */
export function SignInDialog({ title, onClose, ...form }: SignInDialogProps): ReactElement {
  const close = (): void => {
    leaveAccount();
    onClose();
  };
  return (
    <ModalDialog title={title} onClose={close}>
      <SignInForm {...form} onCancel={close} />
    </ModalDialog>
  );
}

/** Signs the person out. If that fails, the service ends the sign-in by itself later. */
export function leaveAccount(): void {
  void call('account.leave', {}).catch(() => undefined);
}
