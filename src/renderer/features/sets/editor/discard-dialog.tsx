import type { ReactElement } from 'react';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { useLanguage } from '../../../shared/use-language.ts';

interface DiscardDialogProps {
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** Asks before what was entered is lost. */
export function DiscardDialog({ onKeep, onDiscard }: DiscardDialogProps): ReactElement {
  const words = useLanguage().strings.sets.editor.discard;
  return (
    <ModalDialog title={words.title} onClose={onKeep}>
      <p>{words.body}</p>
      <div className="ui-actions">
        <Button onPress={onKeep}>{words.keep}</Button>
        <Button kind="danger" onPress={onDiscard}>
          {words.confirm}
        </Button>
      </div>
    </ModalDialog>
  );
}
