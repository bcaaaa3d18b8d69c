import type { ReactElement } from 'react';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { plans } from '../../api/calls.ts';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';

interface FailedPaymentDialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function FailedPaymentDialog({ onDone, onClose }: FailedPaymentDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.plan;
  return (
    <FormDialog
      title={words.noteFailed}
      submit={strings.common.save}
      work={(form) => {
        const amount = formText(form, 'amount').trim();
        const currency = formText(form, 'currency').trim().toUpperCase();
        const payment = {
          reason: formText(form, 'reason').trim(),
          ...(amount === '' ? {} : { amount }),
          ...(currency === '' ? {} : { currency }),
        };
        return plans.notePayment({ kind: 'failed', ...payment }).then(onDone);
      }}
      onClose={onClose}
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
    </FormDialog>
  );
}
