import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Member } from '../../../protocol/accounts.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { team } from '../../api/calls.ts';
import { formText } from '../../shared/form-text.ts';
import { readLimit, typedLimit } from '../../shared/typed-limit.ts';
import { useLanguage } from '../../strings/language.ts';

interface QuotaDialogProps {
  readonly member: Member;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** How much the devices of a person may back up. */
export function QuotaDialog({ member, onDone, onClose }: QuotaDialogProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.team;
  const [isWrong, setWrong] = useState(false);
  return (
    <FormDialog
      title={words.quotaOf(member.email)}
      submit={strings.common.save}
      work={(form) => {
        const limit = readLimit(formText(form, 'limit'));
        setWrong(limit.kind === 'wrong');
        if (limit.kind === 'wrong') return undefined;
        return team.changeQuota(member.id, limit.kind === 'none' ? null : limit.bytes).then(onDone);
      }}
      onClose={onClose}
    >
      <p>{words.quotaLead(formats.bytes(member.used_bytes))}</p>
      <TextField
        label={strings.plan.limitField}
        hint={strings.plan.limitHint}
        name="limit"
        defaultValue={typedLimit(member.quota_bytes)}
        inputMode="text"
        maxLength={20}
        autoComplete="off"
        takesFocus
      />
      {isWrong && (
        <Notice tone="bad">
          <p>{strings.plan.limitWrong}</p>
        </Notice>
      )}
    </FormDialog>
  );
}
