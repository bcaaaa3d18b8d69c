import type { ReactElement } from 'react';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { devices } from '../../api/calls.ts';
import { Confirmation } from '../../shared/confirmation.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';

interface DeviceDialogProps {
  readonly kind: 'rename' | 'revoke';
  readonly device: { readonly id: string; readonly name: string };
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Renames or revokes a device. */
export function DeviceDialog({ kind, device, onDone, onClose }: DeviceDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.devices;
  if (kind === 'revoke') {
    return (
      <Confirmation
        title={words.revokeTitle(device.name)}
        body={words.revokeBody}
        action={words.revoke}
        work={() => devices.revoke(device.id)}
        onDone={onDone}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={words.renameOf(device.name)}
      submit={strings.common.save}
      work={(form) => devices.rename(device.id, formText(form, 'name')).then(onDone)}
      onClose={onClose}
    >
      <TextField label={words.name} name="name" defaultValue={device.name} maxLength={200} takesFocus isRequired />
    </FormDialog>
  );
}
