import type { ReactElement, ReactNode } from 'react';
import { Button } from '../buttons/button.tsx';
import { ModalDialog } from './modal-dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** What will be, in a sentence or two; also what went wrong when it was tried. */
  readonly children: ReactNode;
  /** What the button says that does it. */
  readonly action: string;
  readonly cancel: string;
  readonly isDangerous?: boolean;
  readonly isPending: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that is not easily undone. Shown by being rendered. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, children, action, cancel, isDangerous = true, isPending, onConfirm, onClose } = props;
  return (
    <ModalDialog title={title} onClose={onClose}>
      {children}
      <div className="ui-actions">
        <Button onPress={onClose}>{cancel}</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} isPending={isPending} onPress={onConfirm}>
          {action}
        </Button>
      </div>
    </ModalDialog>
  );
}
