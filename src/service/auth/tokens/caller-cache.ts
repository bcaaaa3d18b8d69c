import type { Caller } from '../../caller.ts';
import type { ServiceClock } from '../../service-clock.ts';

/** For how long a process goes by what the store said; another one may have revoked the token in the meantime. */
const TRUSTED_FOR = 30_000;

const REMEMBERED_CALLERS = 10_000;

/**
 * Who tokens stand for, as the store confirmed it less than half a minute ago. What this process itself revokes is forgotten
 * at once.
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
