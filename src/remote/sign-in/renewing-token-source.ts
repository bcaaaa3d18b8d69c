import type { Clock } from '../../base/clock.ts';
import type { TokenSource } from '../client/authorised-calls.ts';
import { SingleFlight } from '../client/single-flight.ts';
import { MINUTE } from '../../model/units.ts';

export interface Grant {
  readonly token: string;
  /** Milliseconds since the epoch, by this computer's clock. */
  readonly expiresAt: number;
}

export interface RenewingTokenSourceParts {
  /**
   * Gets another token. The signal is aborted when no caller waits any more: then there are no further attempts, but one
   * under way completes.
   */
  readonly renew: (abandoned: AbortSignal) => Promise<Grant>;
  readonly rejectionCode: TokenSource['rejectionCode'];
  readonly clock: Pick<Clock, 'now'>;
  /** A token from an earlier process. */
  readonly initial?: Grant | undefined;
}

/** A token is renewed this long before it expires … */
const MARGIN_MS = MINUTE;

/** Keeps one token and renews it a minute before it expires or after a 401. Concurrent callers share the renewal. */
export class RenewingTokenSource implements TokenSource {
  readonly rejectionCode: TokenSource['rejectionCode'];
  readonly #clock: Pick<Clock, 'now'>;
  #grant: (Grant & { readonly renewAt: number }) | undefined;
  readonly #renewal: SingleFlight<string>;

  constructor(parts: RenewingTokenSourceParts) {
    this.#renewal = new SingleFlight(async (abandoned) => {
      const grant = await parts.renew(abandoned);
      this.#store(grant);
      return grant.token;
    });
    this.rejectionCode = parts.rejectionCode;
    this.#clock = parts.clock;
    if (parts.initial) this.#store(parts.initial);
  }

  token(signal?: AbortSignal): Promise<string> {
    const grant = this.#grant;
    if (grant && this.#clock.now() < grant.renewAt) return Promise.resolve(grant.token);
    return this.#renewal.join(signal);
  }

  renew(rejected: string, signal?: AbortSignal): Promise<string> {
    // Another call with the same token has already renewed it.
    if (this.#grant && this.#grant.token !== rejected) return this.token(signal);
    this.#grant = undefined;
    return this.#renewal.join(signal);
  }

  #store(grant: Grant): void {
    const lifetime = grant.expiresAt - this.#clock.now();
    // … or, if it lives for minutes only, in the last fifth of its life.
    this.#grant = { ...grant, renewAt: grant.expiresAt - Math.min(MARGIN_MS, lifetime / 5) };
  }
}
