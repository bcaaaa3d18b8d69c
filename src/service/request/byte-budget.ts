import { ServiceProblem } from './problem.ts';

/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 30;

export interface ByteLimits {
  readonly request: number;
  readonly account: number;
  readonly total: number;
  /** True if an account gets at most half of what the others leave, so that a few accounts cannot stop all others. */
  readonly isFair?: boolean;
}

/** Bytes that running requests hold, limited for each request, for each account, and for all of them. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #accounts = new Map<string, number>();
  /** By account and person. */
  readonly #people = new Map<string, number>();
  #total = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /**
   * Begins a request, which holds nothing yet.
   *
   * @param person whoever sends it: one person gets at most half of what the others of the account leave of its share
   */
  lease(accountId: string, person?: string): ByteLease {
    const key = person === undefined ? undefined : `${accountId}/${person}`;
    let held = 0;
    return {
      reserve: (bytes) => {
        const { request, total } = this.#limits;
        if (held + bytes > request) throw new ServiceProblem('too_large', { detail: `more than ${request} bytes` });
        const ofAccount = (this.#accounts.get(accountId) ?? 0) + bytes;
        if (ofAccount > this.#shareOf(accountId) || this.#total + bytes > total) {
          throw busy();
        }
        if (key !== undefined && this.#heldBy(key) + bytes > this.#shareOfPerson(accountId, key)) throw busy();
        held += bytes;
        this.#add(accountId, key, bytes);
      },
      release: (bytes = held) => {
        this.#add(accountId, key, -bytes);
        held -= bytes;
      },
    };
  }

  #shareOf(accountId: string): number {
    const { account, total, isFair = false } = this.#limits;
    const ofOthers = this.#total - (this.#accounts.get(accountId) ?? 0);
    return isFair ? Math.min(account, (total - ofOthers) / 2) : account;
  }

  #shareOfPerson(accountId: string, key: string): number {
    const ofOthers = (this.#accounts.get(accountId) ?? 0) - this.#heldBy(key);
    return (this.#shareOf(accountId) - ofOthers) / 2;
  }

  #heldBy(key: string): number {
    return this.#people.get(key) ?? 0;
  }

  #add(accountId: string, key: string | undefined, bytes: number): void {
    addTo(this.#accounts, accountId, bytes);
    if (key !== undefined) addTo(this.#people, key, bytes);
    this.#total += bytes;
  }
}

function addTo(held: Map<string, number>, key: string, bytes: number): void {
  const left = (held.get(key) ?? 0) + bytes;
  if (left === 0) held.delete(key);
  else held.set(key, left);
}

function busy(): ServiceProblem {
  return new ServiceProblem('unavailable', { detail: 'too many large requests', retryAfter: RETRY_AFTER });
}

/** The bytes of one request. */
export interface ByteLease {
  /** @throws ServiceProblem `too_large` for the request itself, `unavailable` because of others */
  reserve(bytes: number): void;
  /** Returns everything, or that many bytes of it. */
  release(bytes?: number): void;
}
