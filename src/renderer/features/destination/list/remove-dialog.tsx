import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface RemoveDialogProps {
  readonly destination: ConfiguredDestination;
  readonly onClose: () => void;
}

/** Removes a destination from the settings; the backups there stay. */
export function RemoveDialog({ destination, onClose }: RemoveDialogProps): ReactElement {
  const words = useLanguage().strings.destinations.remove;
  return (
    <ConfirmDialog
      title={words.title(destination.name)}
      confirm={words.confirm}
      work={() => call('destinations.remove', { destination: destination.id }).then(onClose)}
      onClose={onClose}
    >
      <p>{words.stays(destination.location)}</p>
      <p>{words.comeBack}</p>
    </ConfirmDialog>
  );
}
