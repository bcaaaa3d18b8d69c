import type { ReactElement } from 'react';
import type { ListedDevice } from '../../../ipc/contract/account/devices.ts';
import { call } from '../../bridge/bridge.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { SignedConfirmDialog } from '../account/signed-confirm-dialog.tsx';

interface RevokeDialogProps {
  readonly device: ListedDevice;
  /** The id of one of several destinations. */
  readonly destination: string | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before a computer loses its access. */
export function RevokeDialog({ device, destination, onDone, onClose }: RevokeDialogProps): ReactElement {
  const words = useLanguage().strings.devices;
  return (
    <SignedConfirmDialog
      destination={destination}
      title={words.revokeTitle(device.name)}
      lead={<p>{words.signIn}</p>}
      confirm={words.revokeDo}
      work={() => call('devices.revoke', { id: device.id, destination })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{words.revokeBody}</p>
    </SignedConfirmDialog>
  );
}
