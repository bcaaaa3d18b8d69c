import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { accounts } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';

export function PasswordPanel({ email }: { readonly email: string }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.security;
  const action = useAction();
  const form = useRef<HTMLFormElement>(null);
  const [isChanged, setChanged] = useState(false);
  return (
    <Panel title={words.password}>
      <p className="ui-soft">{words.passwordLead}</p>
      <Form
        ref={form}
        className="ui-stack portal-form"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = event.currentTarget;
          setChanged(false);
          action.run(async () => {
            await accounts.changePassword(formText(fields, 'current'), formText(fields, 'new'));
            form.current?.reset();
            setChanged(true);
          });
        }}
      >
        {/* Tells password managers the account. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label={words.currentPassword}
          name="current"
          type="password"
          autoComplete="current-password"
          isRequired
        />
        <TextField
          label={strings.entrance.newPassword}
          hint={strings.entrance.passwordHint}
          name="new"
          type="password"
          autoComplete="new-password"
          minLength={8}
          isRequired
        />
        <FailureNotice failure={action.failure} />
        {isChanged && (
          <Notice tone="good">
            <p>{words.passwordChanged}</p>
          </Notice>
        )}
        <div>
          <Button type="submit" isPending={action.isPending}>
            {words.changePassword}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}
