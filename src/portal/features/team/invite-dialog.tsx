import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { NewInvitation } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { team } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { RoleField } from './role-field.tsx';

const INVITED_ROLES = ['member', 'admin'] as const;

interface InviteDialogProps {
  readonly onInvited: (invitation: NewInvitation) => void;
  readonly onClose: () => void;
}

export function InviteDialog({ onInvited, onClose }: InviteDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.team;
  const action = useAction();
  const [role, setRole] = useState<string>('member');
  return (
    <ModalDialog title={words.inviteTitle} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const email = formText(event.currentTarget, 'email');
          action.run(() => team.invite(email, role).then(onInvited));
        }}
      >
        <TextField label={words.email} name="email" type="email" autoComplete="off" takesFocus isRequired />
        <RoleField roles={INVITED_ROLES} value={role} onChange={setRole} />
        <FailureNotice failure={action.failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button kind="primary" type="submit" isPending={action.isPending}>
            {words.invite}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
