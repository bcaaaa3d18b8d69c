import type { ReactElement } from 'react';
import { useLanguage } from '../../../shared/use-language.ts';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';

interface DiscardDialogProps {
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** Asks before unsaved changes are discarded. */
export function DiscardDialog({ onKeep, onDiscard }: DiscardDialogProps): ReactElement {
  const words = useLanguage().strings.sets.editor.discard;
  return (
    <ConfirmDialog
      title={words.title}
      confirm={words.confirm}
      cancel={words.keep}
      work={async () => onDiscard()}
      onClose={onKeep}
    >
      <p>{words.body}</p>
    </ConfirmDialog>
  );
}
