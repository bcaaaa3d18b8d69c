import { resolve } from 'node:path';
import { billingSecret } from '../billing/billing-secret.ts';
import { auditedPlans, paymentDetails, planDetails } from '../billing/audited-plans.ts';
import { asOperator, type MetadataLocation } from '../operator-access.ts';
import type { MetadataStore } from '../metadata-store.ts';
import type { AccountPlan, FailedPayment, NewPlan } from '../billing/plan-store.ts';
import { onAccount } from './on-account.ts';
import { asServiceDataError } from './service-data-error.ts';

export type { FailedPayment, NewPlan };

/** The account and the location of the service's data. */
export interface PlanOwner extends MetadataLocation {
  readonly email: string;
}

export interface ShownPlan {
  readonly account_id: string;
  /** `undefined` without a plan, which means no limit. */
  readonly plan: AccountPlan | undefined;
  readonly storageUsed: number;
}

/** @throws HoldfastError `usage` if the account does not exist; so all that follow */
export function readServicePlan(owner: PlanOwner): Promise<ShownPlan> {
  return onAccount(owner, readPlan);
}

export function setServicePlan(owner: PlanOwner, plan: NewPlan): Promise<ShownPlan> {
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

export function recordFailedPayment(owner: PlanOwner, payment: FailedPayment): Promise<ShownPlan> {
  return onAccount(owner, async (metadata, accountId) => {
    const entry = { accountId, kind: 'payment.failed', details: paymentDetails(payment) } as const;
    await auditedPlans({ metadata, clock: Date }, entry).paymentFailed(accountId, payment, Date.now());
    return readPlan(metadata, accountId);
  });
}

export function recordPayment(owner: PlanOwner): Promise<ShownPlan> {
  return onAccount(owner, async (metadata, accountId) => {
    await auditedPlans({ metadata, clock: Date }, { accountId, kind: 'payment.received' }).paymentSucceeded(accountId);
    return readPlan(metadata, accountId);
  });
}

/** Returns the secret with which a payment provider signs its notices; always the same one. */
export async function readBillingSecret({ data, database }: MetadataLocation): Promise<string> {
  try {
    return await asOperator({ data: resolve(data), database }, billingSecret);
  } catch (error) {
    throw asServiceDataError(error);
  }
}

async function readPlan(metadata: MetadataStore, accountId: string): Promise<ShownPlan> {
  const account = await metadata.accounts.findAccount(accountId);
  const plan = await metadata.plans.find(accountId);
  return { account_id: accountId, plan, storageUsed: account?.storageUsed ?? 0 };
}
