import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedDevice } from '../../../ipc/contract/devices.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { SignInForm } from '../account/sign-in-form.tsx';

interface RevokeDialogProps {
  readonly device: ListedDevice;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** What says that the service wants to know who asks. */
const ASKS_WHO = new Set(['permission_denied', 'signed_out']);

/** Asks before a computer is locked out; who it is that asks, only where the service wants to know. */
export function RevokeDialog({ device, onDone, onClose }: RevokeDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.devices;
  const [isWhoAsked, setWhoAsked] = useState(false);
  const { isPending, failure, run } = useAction();
  const title = words.revokeTitle(device.name);
  const revoke = async (): Promise<void> => {
    await call('devices.revoke', { id: device.id });
    onDone();
  };
  const leave = (): void => void call('account.leave', {}).catch(() => undefined);
  const first = async (): Promise<void> => {
    try {
      await revoke();
    } catch (error) {
      if (!isHoldfastError(error) || !ASKS_WHO.has(error.code)) throw error;
      setWhoAsked(true);
    }
  };
  if (isWhoAsked) {
    const close = (): void => {
      leave();
      onClose();
    };
    return (
      <ModalDialog title={title} onClose={close}>
        <SignInForm
          lead={<p>{words.signIn}</p>}
          action={words.revokeDo}
          isDangerous
          onSigned={() => revoke().then(leave)}
          onCancel={close}
        />
      </ModalDialog>
    );
  }
  return (
    <ConfirmDialog
      title={title}
      action={words.revokeDo}
      cancel={strings.common.cancel}
      isPending={isPending}
      onConfirm={() => run(first)}
      onClose={onClose}
    >
      <p>{words.revokeBody}</p>
      <FailureNotice failure={failure} />
    </ConfirmDialog>
  );
}
