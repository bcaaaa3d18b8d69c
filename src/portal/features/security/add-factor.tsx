import { useState } from 'react';
import type { ReactElement } from 'react';
import type { EnrolledFactor } from '../../../protocol/accounts.ts';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { accounts } from '../../api/calls.ts';
import { formCode, formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { AppSecret } from '../entrance/app-secret.tsx';
import { CodeField } from '../../shared/code-field.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

interface AddFactorProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Adds an authenticator: its name and a code of a present one first, then its own first code. */
export function AddFactor({ onDone, onClose }: AddFactorProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.security;
  const [factor, setFactor] = useState<EnrolledFactor>();
  return (
    <FormDialog
      title={words.addFactor}
      submit={factor ? words.addFactor : strings.entrance.next}
      work={async (form) => {
        if (factor) await accounts.confirmFactor(factor.id, formCode(form)).then(onDone);
        else setFactor(await accounts.addFactor(formText(form, 'name'), formCode(form)));
      }}
      onClose={onClose}
    >
      {factor ? (
        <>
          <p>{strings.entrance.enrolLead}</p>
          <AppSecret totp={factor.totp} />
          <CodeField />
        </>
      ) : (
        <>
          <TextField
            label={words.factorName}
            hint={words.factorNameHint}
            name="name"
            maxLength={100}
            takesFocus
            isRequired
          />
          <CodeField hint={words.presentCodeHint} />
        </>
      )}
    </FormDialog>
  );
}
