import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { EnrolledFactor } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { accounts } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { formCode, formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { AppSecret } from '../entrance/app-secret.tsx';
import { CodeField } from '../../shared/code-field.tsx';

interface AddFactorProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Another authenticator: its name, then its first code. */
export function AddFactor({ onDone, onClose }: AddFactorProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.security;
  const action = useAction();
  const [factor, setFactor] = useState<EnrolledFactor>();
  return (
    <ModalDialog title={words.addFactor} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = event.currentTarget;
          action.run(async () => {
            if (!factor) {
              setFactor(await accounts.addFactor(formText(fields, 'name')));
              return;
            }
            await accounts.confirmFactor(factor.id, formCode(fields));
            onDone();
          });
        }}
      >
        {factor ? (
          <>
            <p>{strings.entrance.enrolLead}</p>
            <AppSecret totp={factor.totp} />
            <CodeField takesFocus />
          </>
        ) : (
          <TextField
            label={words.factorName}
            hint={words.factorNameHint}
            name="name"
            maxLength={100}
            takesFocus
            isRequired
          />
        )}
        <FailureNotice failure={action.failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button kind="primary" type="submit" isPending={action.isPending}>
            {factor ? words.addFactor : strings.entrance.next}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
