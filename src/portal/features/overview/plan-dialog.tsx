import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { PortalPlan } from '../../../protocol/portal.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { plans } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { readLimit, typedLimit } from './plan-limit.ts';

interface PlanDialogProps {
  readonly plan: PortalPlan['plan'];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function PlanDialog({ plan, onDone, onClose }: PlanDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.plan;
  const action = useAction();
  const [isWrong, setWrong] = useState(false);
  return (
    <ModalDialog title={words.change} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const limit = readLimit(formText(event.currentTarget, 'limit'));
          setWrong(limit.kind === 'wrong');
          if (limit.kind === 'wrong') return;
          const name = formText(event.currentTarget, 'name');
          const bytes = limit.kind === 'limit' ? limit.bytes : null;
          action.run(() => plans.change({ name, limit_bytes: bytes }).then(onDone));
        }}
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
        <FailureNotice failure={action.failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button kind="primary" type="submit" isPending={action.isPending}>
            {strings.common.save}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
