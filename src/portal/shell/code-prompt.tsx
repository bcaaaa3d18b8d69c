import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { whenCodeNeeded } from '../api/call.ts';
import { accounts } from '../api/calls.ts';
import { CodeField } from '../shared/code-field.tsx';
import { formCode } from '../shared/form-text.ts';
import { useLanguage } from '../strings/language.ts';

/** Asks for a code when a request takes a fresh one, over whatever dialog sent it. */
export function CodePrompt(): ReactElement | undefined {
  const { strings } = useLanguage();
  const [answer, setAnswer] = useState<{ readonly give: (isAccepted: boolean) => void }>();
  useEffect(() => whenCodeNeeded(() => new Promise((give) => setAnswer({ give }))), []);
  if (!answer) return undefined;
  const end = (isAccepted: boolean): void => {
    setAnswer(undefined);
    answer.give(isAccepted);
  };
  return (
    <FormDialog
      title={strings.common.freshCode}
      submit={strings.entrance.next}
      work={(form) => accounts.confirm(formCode(form)).then(() => end(true))}
      onClose={() => end(false)}
    >
      <p>{strings.common.freshCodeLead}</p>
      <CodeField takesFocus />
    </FormDialog>
  );
}
