import type { BillingNoticeBody } from '../../protocol/portal/billing.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { AuditKind } from '../audit/audit-store.ts';
import type { BillingNotice, NoticeOutcome, PlanStore } from './plan-store.ts';
import { auditedPlans, paymentDetails, planDetails } from './audited-plans.ts';
import { isTimely } from './notice-time.ts';

/**
 * Applies a payment provider's notice once: returns `repeated` for a copy, and `outdated` for a notice that a newer
 * one on the same subject has overtaken.
 *
 * @throws ServiceProblem `unprocessable` if it is too old or in the future; `not_found` if the account does not exist
 */
export async function applyNotice(context: ServiceContext, body: BillingNoticeBody): Promise<NoticeOutcome> {
  const { metadata, clock } = context;
  const now = clock.now();
  const notice: BillingNotice = { id: body.delivery_id, writtenAt: Date.parse(body.timestamp) };
  if (!isTimely(notice.writtenAt, now)) {
    throw new ServiceProblem('unprocessable', { detail: 'timestamp: more than a day old, or in the future' });
  }
  const account = body.account_id;
  if (!(await metadata.accounts.findAccount(account))) {
    throw new ServiceProblem('not_found', { detail: 'no such account' });
  }
  const plans = (kind: AuditKind, details?: Readonly<Record<string, string>>): PlanStore =>
    auditedPlans(context, { accountId: account, kind, ...(details && { details }) });
  switch (body.event) {
    case 'payment.failed': {
      const { reason, amount, currency } = body.data;
      const payment = { reason, amount, currency };
      return plans('payment.failed', paymentDetails(payment)).paymentFailed(account, payment, now, notice);
    }
    case 'payment.succeeded':
      return plans('payment.received').paymentSucceeded(account, notice);
    case 'plan.changed': {
      const plan = { name: body.data.plan, limit: body.data.limit_bytes ?? undefined };
      return plans('plan.changed', planDetails(plan, await metadata.plans.find(account))).set(
        account,
        plan,
        now,
        notice,
      );
    }
  }
}
