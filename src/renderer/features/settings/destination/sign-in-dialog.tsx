import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { SignInForm } from '../../account/sign-in-form.tsx';

interface SignInDialogProps {
  readonly url: string;
  readonly onClose: () => void;
}

/** Signs in anew at the service that backups go to, which this computer keeps from then on. */
export function SignInDialog({ url, onClose }: SignInDialogProps): ReactElement {
  const { strings } = useLanguage();
  const close = (): void => {
    // Whatever waits in the browser has nobody to answer to any more.
    void call('account.leave', {}).catch(() => undefined);
    onClose();
  };
  return (
    <ModalDialog title={strings.settings.signInTitle} onClose={close}>
      <SignInForm
        lead={<p className="ui-soft settings-text">{url}</p>}
        onSigned={() => call('account.sign-in-again', {}).then(onClose)}
        onCancel={close}
      />
    </ModalDialog>
  );
}
