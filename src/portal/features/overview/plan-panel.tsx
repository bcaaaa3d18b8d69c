import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalPlan } from '../../../protocol/portal/portal.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { plans } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useLanguage } from '../../strings/language.ts';
import { FailedPaymentDialog } from './failed-payment-dialog.tsx';
import { PlanDialog } from './plan-dialog.tsx';

/** @param onChanged called when the limit may have changed */
export function PlanPanel({ onChanged }: { readonly onChanged: () => void }): ReactElement {
  const { strings } = useLanguage();
  const resource = useResource(plans.show);
  const [open, setOpen] = useState<'plan' | 'payment'>();
  const done = (): void => {
    setOpen(undefined);
    resource.reload();
    onChanged();
  };
  return (
    <Panel
      title={strings.plan.title}
      actions={
        resource.kind === 'ready' &&
        resource.value.may_change && (
          <>
            {resource.value.plan && <Button onPress={() => setOpen('payment')}>{strings.plan.noteFailed}</Button>}
            <Button onPress={() => setOpen('plan')}>{strings.plan.change}</Button>
          </>
        )
      }
    >
      <Loaded resource={resource}>
        {(shown) => (
          <>
            <PlanText shown={shown} onChanged={done} />
            {open === 'plan' && <PlanDialog plan={shown.plan} onDone={done} onClose={() => setOpen(undefined)} />}
            {open === 'payment' && <FailedPaymentDialog onDone={done} onClose={() => setOpen(undefined)} />}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function PlanText({ shown, onChanged }: { readonly shown: PortalPlan; readonly onChanged: () => void }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.plan;
  const paid = useAction();
  const { plan, storage_used: used, may_change: mayChange } = shown;
  return (
    <div className="ui-stack">
      <div className="ui-stack-tight">
        {plan ? (
          <>
            <p>
              <strong>{plan.name}</strong>
            </p>
            <p className="ui-soft">
              {plan.limit_bytes === null ? words.noLimit : words.limit(formats.bytes(plan.limit_bytes))}{' '}
              {words.used(formats.bytes(used))} {words.since(formats.day(plan.changed))}
            </p>
          </>
        ) : (
          <p className="ui-soft">
            {words.none} {words.used(formats.bytes(used))}
          </p>
        )}
        {!mayChange && <p className="ui-soft ui-small">{words.elsewhere}</p>}
      </div>
      {plan && plan.payment_failed !== null && (
        <Notice tone="warning">
          <p>{words.paymentFailed(formats.day(plan.payment_failed))}</p>
          {mayChange && (
            <div>
              <Button
                isPending={paid.isPending}
                onPress={() => paid.run(() => plans.notePayment({ kind: 'received' }).then(onChanged))}
              >
                {words.notePaid}
              </Button>
            </div>
          )}
        </Notice>
      )}
      <FailureNotice failure={paid.failure} />
    </div>
  );
}
