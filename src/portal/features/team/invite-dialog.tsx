import { useState } from 'react';
import type { ReactElement } from 'react';
import type { NewInvitation } from '../../../protocol/accounts.ts';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { team } from '../../api/calls.ts';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { RoleField } from './role-field.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

const INVITED_ROLES = ['member', 'admin', 'auditor'] as const;

interface InviteDialogProps {
  readonly onInvited: (invitation: NewInvitation) => void;
  readonly onClose: () => void;
}

export function InviteDialog({ onInvited, onClose }: InviteDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.team;
  const [role, setRole] = useState<string>('member');
  return (
    <FormDialog
      title={words.inviteTitle}
      submit={words.invite}
      work={(form) => team.invite(formText(form, 'email'), role).then(onInvited)}
      onClose={onClose}
    >
      <TextField label={words.email} name="email" type="email" autoComplete="off" takesFocus isRequired />
      <RoleField roles={INVITED_ROLES} value={role} onChange={setRole} />
    </FormDialog>
  );
}
