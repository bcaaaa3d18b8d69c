import type { Caller } from '../../caller.ts';
import type { ServiceClock } from '../../service-clock.ts';

/** Lifetime of a cached caller; another process may have revoked the token in the meantime. */
const TRUSTED_FOR = 30_000;

const REMEMBERED_CALLERS = 10_000;

/**
 * Caches the callers of tokens that the store confirmed less than 30 s ago. Tokens that this process revokes are removed
 * immediately.
 */
export class CallerCache {
  readonly #clock: ServiceClock;
  readonly #callers = new Map<string, { readonly caller: Caller; readonly until: number }>();

  constructor(clock: ServiceClock) {
    this.#clock = clock;
  }

  /** @param subject the id of a device, or of a user's sign-in */
  find(subject: string): Caller | undefined {
    const known = this.#callers.get(subject);
    return known && this.#clock.now() < known.until ? known.caller : undefined;
  }

  remember(subject: string, caller: Caller): void {
    if (this.#callers.size >= REMEMBERED_CALLERS) this.#callers.clear();
    this.#callers.set(subject, { caller, until: this.#clock.now() + TRUSTED_FOR });
  }

  forget(subject: string): void {
    this.#callers.delete(subject);
  }

  forgetAll(): void {
    this.#callers.clear();
  }
}
