import type { ReactElement } from 'react';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { call } from '../../bridge/bridge.ts';
import { useLanguage } from '../../shared/use-language.ts';

interface RemoveSetProps {
  readonly set: string;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

export function RemoveSet({ set, onClose, onRemoved }: RemoveSetProps): ReactElement {
  const words = useLanguage().strings.sets.remove;
  return (
    <ConfirmDialog
      title={words.title(set)}
      confirm={words.confirm}
      work={() => call('sets.remove', { set }).then(onRemoved)}
      onClose={onClose}
    >
      <p>{words.body}</p>
    </ConfirmDialog>
  );
}
