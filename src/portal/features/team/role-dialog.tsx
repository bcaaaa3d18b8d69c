import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { Member } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { team } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { useLanguage } from '../../strings/language.ts';
import { RoleField } from './role-field.tsx';

interface RoleDialogProps {
  readonly member: Member;
  readonly roles: readonly string[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RoleDialog({ member, roles, onDone, onClose }: RoleDialogProps): ReactElement {
  const { strings } = useLanguage();
  const action = useAction();
  const [role, setRole] = useState(member.role);
  return (
    <ModalDialog title={strings.team.changeRoleOf(member.email)} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(() => team.changeRole(member.id, role).then(onDone));
        }}
      >
        <RoleField roles={roles} value={role} onChange={setRole} />
        <FailureNotice failure={action.failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button kind="primary" type="submit" isPending={action.isPending} isDisabled={role === member.role}>
            {strings.common.save}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
