/** Who asks at once at most, before those that rested longest are forgotten. */
const MOST_SUBJECTS = 50_000;

/** Requests in a minute; all of a minute's may come at once. 0 is no limit. */
export interface RateLimits {
  /** Of one address, presigned ones not counted: these were handed out by the service itself. */
  readonly perAddress: number;
  /** Of one address, where passwords, codes and keys are tried. */
  readonly signInsPerAddress: number;
  /** Of one account, with all of its users and devices. */
  readonly perAccount: number;
}

/** Far from what agents need, and far below what would hurt. */
export const DEFAULT_LIMITS: RateLimits = { perAddress: 60_000, signInsPerAddress: 300, perAccount: 60_000 };

interface Bucket {
  tokens: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * A token bucket for each subject: so many requests in a minute, all of them at once if need be. It lives in this
 * process alone: of several behind one balancer each counts for itself.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** In the order of their last request. */
  readonly #buckets = new Map<string, Bucket>();

  /** @param perMinute 0 for no limit */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts a request; nothing where it may go on, else the seconds after which one will. */
  take(subject: string): number | undefined {
    if (this.#perMinute === 0) return undefined;
    const now = this.#now();
    const bucket = this.#refilled(subject, now);
    this.#buckets.delete(subject);
    this.#buckets.set(subject, bucket);
    this.#forget();
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return undefined;
    }
    return Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / this.#perMinute));
  }

  #refilled(subject: string, now: number): Bucket {
    const bucket = this.#buckets.get(subject);
    if (!bucket) return { tokens: this.#perMinute, at: now };
    // A clock that was set back gives nothing and takes nothing.
    const gained = (Math.max(0, now - bucket.at) * this.#perMinute) / 60_000;
    return { tokens: Math.min(this.#perMinute, bucket.tokens + gained), at: now };
  }

  #forget(): void {
    if (this.#buckets.size <= MOST_SUBJECTS) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
