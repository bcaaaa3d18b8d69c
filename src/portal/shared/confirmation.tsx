import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../ui/buttons/button.tsx';
import { ModalDialog } from '../../ui/dialogs/modal-dialog.tsx';
import { useAction } from '../api/use-action.ts';
import { CodeField } from './code-field.tsx';
import { formCode } from './form-text.ts';
import { useLanguage } from '../strings/language.ts';
import { FailureNotice } from './failure-notice.tsx';

interface ConfirmationProps {
  readonly title: string;
  readonly body: string;
  /** What the button says that does it. */
  readonly action: string;
  /** Whether a code of the second factor is asked for again. */
  readonly asksCode?: boolean;
  readonly isDangerous?: boolean;
  readonly work: (code: string) => Promise<void>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before something that is not easily undone. */
export function Confirmation(props: ConfirmationProps): ReactElement {
  const { title, body, action, asksCode = false, isDangerous = true, work, onDone, onClose } = props;
  const { strings } = useLanguage();
  const { isPending, failure, run } = useAction();
  return (
    <ModalDialog title={title} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const code = formCode(event.currentTarget);
          run(() => work(code).then(onDone));
        }}
      >
        <p>{body}</p>
        {asksCode && <CodeField takesFocus hint={strings.common.confirmHint} />}
        <FailureNotice failure={failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button kind={isDangerous ? 'danger' : 'primary'} type="submit" isPending={isPending}>
            {action}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
