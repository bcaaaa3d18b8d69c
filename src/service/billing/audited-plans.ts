import { auditEntry } from '../audit/audit.ts';
import type { ServiceContext } from '../context.ts';
import { previousDetails, type AuditDetails as Details, type NewAuditEntry } from '../audit/audit-store.ts';
import type { FailedPayment, NewPlan, PlanStore } from './plan-store.ts';

/** Returns the store for one change that is recorded in the audit log, unless a repeated or outdated notice changes nothing. */
export function auditedPlans(
  context: Pick<ServiceContext, 'metadata' | 'clock'>,
  entry: Omit<NewAuditEntry, 'occurredAt' | 'address'>,
): PlanStore {
  return context.metadata.audited(auditEntry(context, entry), (outcome) => outcome === 'applied').plans;
}

/** Describes a new plan, and the one before. */
export function planDetails(plan: NewPlan, before: NewPlan | undefined): Details {
  return { ...described(plan), ...(before ? previousDetails(described(before)) : {}) };
}

function described({ name, limit }: NewPlan): Details {
  return { plan: name, ...(limit === undefined ? {} : { limit_bytes: String(limit) }) };
}

export function paymentDetails({ reason, amount, currency }: FailedPayment): Details {
  return { reason, ...(amount === undefined ? {} : { amount }), ...(currency === undefined ? {} : { currency }) };
}
