import type { ReactElement, ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../buttons/button.tsx';
import { FailureNotice } from '../requests/failure-notice.tsx';
import { useAction } from '../requests/use-action.ts';
import { useUiTexts } from '../texts.ts';
import { ModalDialog } from './modal-dialog.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The fields. */
  readonly children: ReactNode;
  /** Label of the button that submits. */
  readonly submit: string;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /**
   * Sends what was entered. If it rejects, the dialog stays open and shows the failure. It returns `undefined` if a field
   * is wrong, and nothing was sent.
   */
  readonly work: (form: HTMLFormElement) => Promise<unknown> | undefined;
  readonly onClose: () => void;
}

/** Fields that are sent together, or cancelled. It is shown by being rendered. */
export function FormDialog(props: FormDialogProps): ReactElement {
  const { title, children, submit, isDangerous = false, isDisabled = false, work, onClose } = props;
  const texts = useUiTexts();
  const { isPending, failure, run } = useAction();
  return (
    <ModalDialog title={title} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          run(async () => work(form));
        }}
      >
        {children}
        <FailureNotice failure={failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind={isDangerous ? 'danger' : 'primary'} type="submit" isPending={isPending} isDisabled={isDisabled}>
            {submit}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
