import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalPlan } from '../../../protocol/portal/portal.ts';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { plans } from '../../api/calls.ts';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { readLimit, typedLimit } from '../../shared/typed-limit.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

interface PlanDialogProps {
  readonly plan: PortalPlan['plan'];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function PlanDialog({ plan, onDone, onClose }: PlanDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.plan;
  const [isWrong, setWrong] = useState(false);
  return (
    <FormDialog
      title={words.change}
      submit={strings.common.save}
      work={(form) => {
        const limit = readLimit(formText(form, 'limit'));
        setWrong(limit.kind === 'wrong');
        if (limit.kind === 'wrong') return undefined;
        const bytes = limit.kind === 'limit' ? limit.bytes : null;
        return plans.change({ name: formText(form, 'name'), limit_bytes: bytes }).then(onDone);
      }}
      onClose={onClose}
    >
      <p className="ui-soft">{words.changeLead}</p>
      <TextField
        label={words.name}
        hint={words.nameHint}
        name="name"
        defaultValue={plan?.name ?? ''}
        maxLength={100}
        autoComplete="off"
        takesFocus
        isRequired
      />
      <TextField
        label={words.limitField}
        hint={words.limitHint}
        name="limit"
        defaultValue={typedLimit(plan?.limit_bytes ?? null)}
        inputMode="text"
        maxLength={20}
        autoComplete="off"
      />
      {isWrong && (
        <Notice tone="bad">
          <p>{words.limitWrong}</p>
        </Notice>
      )}
    </FormDialog>
  );
}
