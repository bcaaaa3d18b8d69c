/** Maximum number of tracked subjects; the longest idle ones are dropped first. */
const MOST_SUBJECTS = 50_000;

/** Requests per minute; a burst may use a whole minute's. 0 is unlimited. */
export interface RateLimits {
  /** Per address, without presigned URLs, which the service issued itself. */
  readonly perAddress: number;
  /** Per address, for requests with passwords, codes or keys. */
  readonly signInsPerAddress: number;
  /** Per account, including all of its users and devices. */
  readonly perAccount: number;
}

/** Far above the needs of agents, and far below a harmful rate. */
export const DEFAULT_LIMITS: RateLimits = { perAddress: 60_000, signInsPerAddress: 300, perAccount: 60_000 };

/** What a sum of shares of a token may lack. */
const ROUNDING = 1e-9;

interface Bucket {
  tokens: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * A token bucket per subject: a number of requests per minute, all at once if necessary. It is local to this
 * process: behind a balancer each process counts separately.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** In order of their last request. */
  readonly #buckets = new Map<string, Bucket>();

  /** @param perMinute 0 means unlimited */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts a request. Returns `undefined` if it is permitted, else the seconds until the next one is. */
  take(subject: string): number | undefined {
    if (this.#perMinute === 0) return undefined;
    const now = this.#now();
    const bucket = this.#refilled(subject, now);
    this.#buckets.delete(subject);
    this.#buckets.set(subject, bucket);
    this.#forget();
    if (bucket.tokens >= 1 - ROUNDING) {
      bucket.tokens = Math.max(0, bucket.tokens - 1);
      return undefined;
    }
    return Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / this.#perMinute));
  }

  #refilled(subject: string, now: number): Bucket {
    const bucket = this.#buckets.get(subject);
    if (!bucket) return { tokens: this.#perMinute, at: now };
    // A clock that was set back has no effect.
    const gained = (Math.max(0, now - bucket.at) * this.#perMinute) / 60_000;
    return { tokens: Math.min(this.#perMinute, bucket.tokens + gained), at: now };
  }

  #forget(): void {
    if (this.#buckets.size <= MOST_SUBJECTS) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
