import type { ReactElement, ReactNode } from 'react';
import { Button } from '../buttons/button.tsx';
import { FailureNotice } from '../requests/failure-notice.tsx';
import { useAction } from '../requests/use-action.ts';
import type { Work } from '../requests/use-action.ts';
import { useUiTexts } from '../texts.ts';
import { ModalDialog } from './modal-dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  /** The consequences in a sentence or two, and fields that they depend on. */
  readonly children: ReactNode;
  /** Label of the button that confirms. */
  readonly confirm: string;
  readonly cancel?: string;
  readonly isDangerous?: boolean;
  /** Does what was confirmed. If it rejects, the dialog stays open and shows the failure. */
  readonly work: Work;
  readonly onClose: () => void;
}

/** Asks before something that is not easily undone. It is shown by being rendered. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, children, confirm, cancel, isDangerous = true, work, onClose } = props;
  const texts = useUiTexts();
  const { isPending, failure, run } = useAction();
  return (
    <ModalDialog title={title} onClose={onClose}>
      {children}
      <FailureNotice failure={failure} />
      <div className="ui-actions">
        <Button onPress={onClose}>{cancel ?? texts.cancel}</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} isPending={isPending} onPress={() => run(work)}>
          {confirm}
        </Button>
      </div>
    </ModalDialog>
  );
}
