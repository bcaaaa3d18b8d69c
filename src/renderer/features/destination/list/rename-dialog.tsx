import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { FormDialog } from '../../../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface RenameDialogProps {
  readonly destination: ConfiguredDestination;
  readonly onClose: () => void;
}

export function RenameDialog({ destination, onClose }: RenameDialogProps): ReactElement {
  const words = useLanguage().strings.destinations.rename;
  const [name, setName] = useState(destination.name);
  const isEmpty = name.trim() === '';
  return (
    <FormDialog
      title={words.title}
      submit={words.submit}
      isDisabled={isEmpty}
      work={() =>
        isEmpty
          ? undefined
          : call('destinations.change', { destination: destination.id, name: name.trim() }).then(onClose)
      }
      onClose={onClose}
    >
      <TextField
        label={words.name}
        hint={destination.location}
        value={name}
        maxLength={100}
        takesFocus
        onChange={setName}
      />
    </FormDialog>
  );
}
