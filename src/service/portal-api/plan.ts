import type { ChangePlanRequest, NotePaymentRequest, PortalPlan } from '../../protocol/portal/portal.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { auditedPlans, paymentDetails, planDetails } from '../billing/audited-plans.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { User } from '../auth/account-store.ts';

/** The account's plan as one of its users sees it. */
export async function accountPlan(context: ServiceContext, user: User): Promise<PortalPlan> {
  const account = await context.metadata.accounts.findAccount(user.accountId);
  if (!account) throw new ServiceProblem('not_found');
  const plan = await context.metadata.plans.find(user.accountId);
  return {
    plan: plan
      ? {
          name: plan.name,
          limit_bytes: plan.limit ?? null,
          changed: formatTimestamp(plan.changedAt),
          payment_failed: plan.paymentFailedAt === undefined ? null : formatTimestamp(plan.paymentFailedAt),
        }
      : null,
    storage_used: account.storageUsed,
    may_change: await mayChange(context, user),
  };
}

/** Throws `permission_denied`. */
export async function changePlan(context: ServiceContext, user: User, request: ChangePlanRequest): Promise<PortalPlan> {
  await requireMayChange(context, user);
  const plan = { name: request.name, limit: request.limit_bytes ?? undefined };
  const entry = {
    accountId: user.accountId,
    userId: user.id,
    kind: 'plan.changed',
    details: planDetails(plan, await context.metadata.plans.find(user.accountId)),
  } as const;
  await auditedPlans(context, entry).set(user.accountId, plan, context.clock.now());
  return accountPlan(context, user);
}

/** Throws `permission_denied`. */
export async function notePayment(
  context: ServiceContext,
  user: User,
  request: NotePaymentRequest,
): Promise<PortalPlan> {
  await requireMayChange(context, user);
  const { accountId, id: userId } = user;
  if (request.kind === 'failed') {
    const { reason, amount, currency } = request;
    const payment = { reason, amount, currency };
    const entry = { accountId, userId, kind: 'payment.failed', details: paymentDetails(payment) } as const;
    await auditedPlans(context, entry).paymentFailed(accountId, payment, context.clock.now());
  } else {
    await auditedPlans(context, { accountId, userId, kind: 'payment.received' }).paymentSucceeded(accountId);
  }
  return accountPlan(context, user);
}

/**
 * Owners and admins of the first account, which belongs to the operator. A service may have accounts of others,
 * who must not set their own limits or record their own payments.
 */
async function mayChange({ metadata }: ServiceContext, { role, accountId }: User): Promise<boolean> {
  if (role !== 'owner' && role !== 'admin') return false;
  return (await metadata.accounts.firstAccount())?.id === accountId;
}

async function requireMayChange(context: ServiceContext, user: User): Promise<void> {
  if (await mayChange(context, user)) return;
  throw new ServiceProblem('permission_denied', { detail: 'whoever runs the service sets plans' });
}
