import type { ReactElement } from 'react';
import type { Member } from '../../../protocol/accounts.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { erasures } from '../../api/calls.ts';
import { useLanguage } from '../../strings/language.ts';
import { SaveAccountData } from './save-account-data.tsx';

interface EraseMemberDialogProps {
  readonly member: Pick<Member, 'id' | 'email'>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function EraseMemberDialog({ member, onDone, onClose }: EraseMemberDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.erasure;
  return (
    <FormDialog
      title={words.memberTitle(member.email)}
      submit={words.submit}
      isDangerous
      work={() => erasures.request({ scope: 'member', user_id: member.id }).then(onDone)}
      onClose={onClose}
    >
      <p>{words.memberBody}</p>
      <SaveAccountData />
    </FormDialog>
  );
}
