import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Member } from '../../../protocol/accounts.ts';
import { team } from '../../api/calls.ts';
import { useLanguage } from '../../strings/language.ts';
import { RoleField } from './role-field.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

interface RoleDialogProps {
  readonly member: Member;
  readonly roles: readonly string[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RoleDialog({ member, roles, onDone, onClose }: RoleDialogProps): ReactElement {
  const { strings } = useLanguage();
  const [role, setRole] = useState(member.role);
  return (
    <FormDialog
      title={strings.team.changeRoleOf(member.email)}
      submit={strings.common.save}
      isDisabled={role === member.role}
      work={() => team.changeRole(member.id, role).then(onDone)}
      onClose={onClose}
    >
      <RoleField roles={roles} value={role} onChange={setRole} />
    </FormDialog>
  );
}
