import { billingSecret } from '../billing/billing-secret.ts';
import { auditedPlans, paymentDetails, planDetails } from '../billing/audited-plans.ts';
import type { MetadataLocation } from '../operator-access.ts';
import type { MetadataStore } from '../metadata-store.ts';
import type { AccountPlan, FailedPayment, NewPlan } from '../billing/plan-store.ts';
import { onAccount, onService, type AccountLocation } from './on-account.ts';

export type { FailedPayment, NewPlan };

export interface ShownPlan {
  readonly account_id: string;
  /** `undefined` without a plan, which means no limit. */
  readonly plan: AccountPlan | undefined;
  readonly storageUsed: number;
}

/** @throws HoldfastError `usage` if the account does not exist; so all that follow */
export function readServicePlan(owner: AccountLocation): Promise<ShownPlan> {
  return onAccount(owner, readPlan);
}

export function setServicePlan(owner: AccountLocation, plan: NewPlan): Promise<ShownPlan> {
  return onAccount(owner, async (metadata, accountId) => {
    const entry = {
      accountId,
      kind: 'plan.changed',
      details: planDetails(plan, await metadata.plans.find(accountId)),
    } as const;
    await auditedPlans({ metadata, clock: Date }, entry).set(accountId, plan, Date.now());
    return readPlan(metadata, accountId);
  });
}

export function recordFailedPayment(owner: AccountLocation, payment: FailedPayment): Promise<ShownPlan> {
  return onAccount(owner, async (metadata, accountId) => {
    const entry = { accountId, kind: 'payment.failed', details: paymentDetails(payment) } as const;
    await auditedPlans({ metadata, clock: Date }, entry).paymentFailed(accountId, payment, Date.now());
    return readPlan(metadata, accountId);
  });
}

export function recordPayment(owner: AccountLocation): Promise<ShownPlan> {
  return onAccount(owner, async (metadata, accountId) => {
    await auditedPlans({ metadata, clock: Date }, { accountId, kind: 'payment.received' }).paymentSucceeded(accountId);
    return readPlan(metadata, accountId);
  });
}

/** Returns the secret with which a payment provider signs its notices; always the same one. */
export function readBillingSecret(location: MetadataLocation): Promise<string> {
  return onService(location, billingSecret);
}

async function readPlan(metadata: MetadataStore, accountId: string): Promise<ShownPlan> {
  const account = await metadata.accounts.findAccount(accountId);
  const plan = await metadata.plans.find(accountId);
  return { account_id: accountId, plan, storageUsed: account?.storageUsed ?? 0 };
}
