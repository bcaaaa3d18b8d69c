export interface AccountPlan {
  readonly name: string;
  /** Bytes of the account's blobs; none where it is left out. */
  readonly limit: number | undefined;
  readonly changedAt: number;
  /** Since when a payment is missing. */
  readonly paymentFailedAt: number | undefined;
}

export interface NewPlan {
  readonly name: string;
  readonly limit: number | undefined;
}

export interface FailedPayment {
  readonly reason: string;
  /** Decimal. */
  readonly amount: string | undefined;
  /** ISO 4217. */
  readonly currency: string | undefined;
}

/** A message of a payment provider: good once, and void where a newer one about the same came before it. */
export interface BillingNotice {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

export type NoticeOutcome = 'applied' | 'repeated' | 'outdated';

/**
 * Plans, and what was paid. Each change is one transaction with the event that tells it. Without a notice a change comes
 * from the admin and always applies. Times are milliseconds since the epoch.
 */
export interface PlanStore {
  /** Nothing where the account has no plan, and so no limit. */
  find(accountId: string): Promise<AccountPlan | undefined>;
  /** Tells `billing.plan_changed` where it is another plan or limit than before. */
  set(accountId: string, plan: NewPlan, now: number, notice?: BillingNotice): Promise<NoticeOutcome>;
  /** Tells `billing.payment_failed`. */
  paymentFailed(accountId: string, payment: FailedPayment, now: number, notice?: BillingNotice): Promise<NoticeOutcome>;
  paymentSucceeded(accountId: string, notice?: BillingNotice): Promise<NoticeOutcome>;
  /** Compares the use with the limit, and tells `billing.approaching_limit` where it has crossed the threshold. */
  noteUse(accountId: string, now: number): Promise<void>;
  /** Accounts that have a limit. */
  limitedAccounts(): Promise<readonly string[]>;
  /** Forgets notices that are too old to be taken anyway. */
  pruneNotices(before: number): Promise<void>;
}
