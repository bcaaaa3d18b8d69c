import type { ReactElement } from 'react';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { useLanguage } from '../strings/language.ts';
import { CodeField } from './code-field.tsx';
import { formCode } from './form-text.ts';

interface ConfirmationProps {
  readonly title: string;
  readonly body: string;
  /** Label of the button that confirms. */
  readonly action: string;
  /** Asks for a code of the second factor again. */
  readonly asksCode?: boolean;
  readonly isDangerous?: boolean;
  readonly work: (code: string) => Promise<void>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before something that is not easily undone, and says that it is done: the row with its button may be gone then. */
export function Confirmation(props: ConfirmationProps): ReactElement {
  const { title, body, action, asksCode = false, isDangerous = true, work, onDone, onClose } = props;
  const { strings } = useLanguage();
  return (
    <FormDialog
      title={title}
      submit={action}
      isDangerous={isDangerous}
      work={async (form) => {
        await work(formCode(form));
        toast(strings.common.done);
        onDone();
      }}
      onClose={onClose}
    >
      <p>{body}</p>
      {asksCode && <CodeField takesFocus hint={strings.common.confirmHint} />}
    </FormDialog>
  );
}
