import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedDevice } from '../../../ipc/contract/account/devices.ts';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { call } from '../../bridge/bridge.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { LockPasswordField, useAsksLockPassword } from '../lock/lock-password-field.tsx';

interface RemoveDialogProps {
  readonly device: ListedDevice;
  /** The id of one of several destinations. */
  readonly destination: string | undefined;
  /** True if a service has revoked it already. */
  readonly isRevoked: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before a computer is removed and the key of the backups is changed. */
export function RemoveDialog({ device, destination, isRevoked, onDone, onClose }: RemoveDialogProps): ReactElement {
  const words = useLanguage().strings.devices;
  const asksPassword = useAsksLockPassword();
  const [password, setPassword] = useState('');
  const remove = async (): Promise<void> => {
    await call('key.renew', {
      revoke: device.id,
      ...(destination !== undefined && { destination }),
      ...(password !== '' && { password }),
    });
    onDone();
  };
  return (
    <ConfirmDialog
      title={isRevoked ? words.renewTitle : words.removeTitle(device.name)}
      confirm={isRevoked ? words.renewDo : words.removeDo}
      work={remove}
      onClose={onClose}
    >
      <p>{isRevoked ? words.renewBody(device.name) : words.removeBody}</p>
      <p>{words.removePhrase}</p>
      {asksPassword && <LockPasswordField value={password} onChange={setPassword} />}
    </ConfirmDialog>
  );
}
