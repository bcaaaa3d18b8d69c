import { z } from 'zod';
import { timestamp } from '../timestamp.ts';

const head = {
  /** Time of writing. Of two notices about the same subject the newer one applies, in whichever order they arrive. */
  timestamp,
  /** Chosen by the provider; the same for every attempt. */
  delivery_id: z.string().min(1).max(200),
  account_id: z.string().min(1),
};

/** `amount` is decimal; `currency` is an ISO 4217 code. */
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

/** A notice from a payment provider, signed in the same way as the service's webhooks. */
export const billingNotice = z.discriminatedUnion('event', [paymentFailed, paymentSucceeded, planChanged]);
export type BillingNoticeBody = z.infer<typeof billingNotice>;
