import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { whenCodeNeeded } from '../api/call.ts';
import { accounts } from '../api/calls.ts';
import { passkeys } from '../api/passkeys.ts';
import { CodeField } from '../shared/code-field.tsx';
import { PasskeyButton } from '../shared/passkey-button.tsx';
import { formCode } from '../shared/form-text.ts';
import { useLanguage } from '../strings/language.ts';

/** Asks for a code when a request takes a fresh one, over whatever dialog sent it. */
export function CodePrompt(): ReactElement | undefined {
  const { strings } = useLanguage();
  const [answer, setAnswer] = useState<{
    readonly give: (isAccepted: boolean) => void;
    readonly hasPasskey: boolean;
  }>();
  useEffect(
    () =>
      whenCodeNeeded(async () => {
        const hasPasskey = passkeys.areSupported() && (await mayUsePasskey());
        return new Promise((give) => setAnswer({ give, hasPasskey }));
      }),
    [],
  );
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
      {answer.hasPasskey && <PasskeyButton work={() => passkeys.confirm().then(() => end(true))} />}
      <CodeField takesFocus />
    </FormDialog>
  );
}

/** A code works in any case. */
async function mayUsePasskey(): Promise<boolean> {
  const user = await accounts.user().catch(() => undefined);
  return user?.may_add_passkeys === true && user.passkeys.length > 0;
}
