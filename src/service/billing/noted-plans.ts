import { auditEntry } from '../auth/audit.ts';
import type { ServiceContext } from '../context.ts';
import type { NewAuditEntry } from '../store/audit/audit-store.ts';
import type { FailedPayment, NewPlan, PlanStore } from '../store/plans/plan-store.ts';
import { auditedDatabase } from '../store/audit/audited-database.ts';
import { createSqlPlanStore } from '../store/plans/plans.ts';

type Details = Readonly<Record<string, string>>;

/** The store for one change, which is kept together with the audit entry that tells it; a notice that comes again tells none. */
export function notedPlans(
  context: Pick<ServiceContext, 'metadata' | 'clock'>,
  entry: Omit<NewAuditEntry, 'occurredAt' | 'address'>,
): PlanStore {
  const audited = auditedDatabase(context.metadata.sql, auditEntry(context, entry), (outcome) => outcome === 'applied');
  return createSqlPlanStore(audited);
}

export function planDetails({ name, limit }: NewPlan): Details {
  return { plan: name, ...(limit === undefined ? {} : { limit_bytes: String(limit) }) };
}

export function paymentDetails({ reason, amount, currency }: FailedPayment): Details {
  return { reason, ...(amount === undefined ? {} : { amount }), ...(currency === undefined ? {} : { currency }) };
}
