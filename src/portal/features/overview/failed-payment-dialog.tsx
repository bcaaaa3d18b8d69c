import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { plans } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';

interface FailedPaymentDialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function FailedPaymentDialog({ onDone, onClose }: FailedPaymentDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.plan;
  const action = useAction();
  return (
    <ModalDialog title={words.noteFailed} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const amount = formText(form, 'amount').trim();
          const currency = formText(form, 'currency').trim().toUpperCase();
          const payment = {
            reason: formText(form, 'reason').trim(),
            ...(amount === '' ? {} : { amount }),
            ...(currency === '' ? {} : { currency }),
          };
          action.run(() => plans.notePayment({ kind: 'failed', ...payment }).then(onDone));
        }}
      >
        <p className="ui-soft">{words.noteFailedLead}</p>
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          name="reason"
          maxLength={200}
          autoComplete="off"
          takesFocus
          isRequired
        />
        <TextField label={words.amount} hint={words.amountHint} name="amount" maxLength={17} autoComplete="off" />
        <TextField label={words.currency} hint={words.currencyHint} name="currency" maxLength={3} autoComplete="off" />
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
