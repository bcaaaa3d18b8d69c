import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ErasureRequest } from '../../../protocol/accounts.ts';
import type { Device } from '../../../protocol/devices.ts';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { NativeSelect } from '../../../ui/fields/native-select.tsx';
import { erasures } from '../../api/calls.ts';
import { useLanguage } from '../../strings/language.ts';
import type { Strings } from '../../strings/compiled/portal-en.ts';
import { SaveAccountData } from './save-account-data.tsx';

interface EraseDialogProps {
  readonly devices: readonly Device[];
  readonly sets: readonly PortalBackupSet[];
  /** True for an owner, who may erase everything. */
  readonly mayEraseAccount: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function EraseDialog(props: EraseDialogProps): ReactElement {
  const { onDone, onClose } = props;
  const { strings } = useLanguage();
  const words = strings.erasure;
  const choices = choicesOf(props, words);
  const [chosen, setChosen] = useState('0');
  const request = choices[Number(chosen)]?.request;
  return (
    <FormDialog
      title={words.dialogTitle}
      submit={words.submit}
      isDangerous
      isDisabled={request === undefined}
      work={() => request && erasures.request(request).then(onDone)}
      onClose={onClose}
    >
      <NativeSelect
        label={words.what}
        options={choices.map(({ label }, index) => ({ value: String(index), label }))}
        value={chosen}
        onChange={setChosen}
      />
      <SaveAccountData />
    </FormDialog>
  );
}

interface Choice {
  readonly request: ErasureRequest;
  readonly label: string;
}

function choicesOf({ devices, sets, mayEraseAccount }: EraseDialogProps, words: Strings['erasure']): readonly Choice[] {
  return [
    ...sets.map(({ device_id: id, device_name: device, name }) => ({
      request: { scope: 'set', device_id: id, backup_set: name } as const,
      label: words.ofSet(device, name),
    })),
    ...devices.map(({ id, name }) => ({
      request: { scope: 'device', device_id: id } as const,
      label: words.ofDevice(name),
    })),
    ...(mayEraseAccount ? [{ request: { scope: 'account' } as const, label: words.ofAccount }] : []),
  ];
}
