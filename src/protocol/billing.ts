import { z } from 'zod';
import { timestamp } from './timestamp.ts';

const head = {
  /** When it was written; of two notices about the same the newer one counts, in whatever order they come. */
  timestamp,
  /** Of the provider's choice; the same at every try. */
  delivery_id: z.string().min(1).max(200),
  account_id: z.string().min(1),
};

/** `amount` is decimal, `currency` as in ISO 4217. */
export const failedPayment = z.object({
  reason: z.string().min(1).max(200),
  amount: z
    .string()
    .regex(/^\d{1,12}(\.\d{1,4})?$/)
    .optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
});

const paymentFailed = z.object({ event: z.literal('payment.failed'), ...head, data: failedPayment });

const paymentSucceeded = z.object({ event: z.literal('payment.succeeded'), ...head });

const planChanged = z.object({
  event: z.literal('plan.changed'),
  ...head,
  data: z.object({ plan: z.string().min(1).max(100), limit_bytes: z.int().positive().nullable() }),
});

/** What a payment provider tells the service, signed as the service signs its own webhooks. */
export const billingNotice = z.discriminatedUnion('event', [paymentFailed, paymentSucceeded, planChanged]);
export type BillingNoticeBody = z.infer<typeof billingNotice>;
