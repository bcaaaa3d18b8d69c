import { failed, ok, warning } from './finding.ts';
import type { Finding } from './finding.ts';

/** Device signatures and presigned URLs fail if clocks differ by more than five minutes. */
const MOST_SKEW = 300_000;
const SUSPICIOUS_SKEW = 30_000;

/** A clock before the program was written is wrong. */
const WRITTEN = Date.UTC(2026, 0, 1);

/** Another system's clock. */
export interface OtherClock {
  readonly whose: string;
  /** Lead over ours, in milliseconds. */
  readonly skew: number;
}

export function checkClock(now: number, others: readonly OtherClock[]): Finding {
  if (now < WRITTEN) return failed('clock', `This computer believes that it is ${new Date(now).toISOString()}.`);
  const worst = others.toSorted((a, b) => Math.abs(b.skew) - Math.abs(a.skew))[0];
  if (!worst) return ok('clock', 'There is no other clock to compare this computer’s with.');
  const seconds = Math.round(Math.abs(worst.skew) / 1000);
  const differs = `This computer’s clock and that of ${worst.whose} differ by ${seconds} s`;
  if (Math.abs(worst.skew) > MOST_SKEW)
    return failed('clock', `${differs}: devices and buckets will refuse each other.`);
  if (Math.abs(worst.skew) > SUSPICIOUS_SKEW) return warning('clock', `${differs}: let both follow a time server.`);
  return ok('clock', `${differs}.`);
}
