import type { Clock } from '../../../base/clock.ts';
import type { TokenSource } from '../client/authorised-calls.ts';
import { SingleFlight } from '../client/single-flight.ts';

export interface Grant {
  readonly token: string;
  /** Milliseconds since the epoch by our own clock. */
  readonly expiresAt: number;
}

export interface RenewingTokenSourceParts {
  /**
   * Gets another token. The signal says that nobody waits for it any more: then it need not try again, but what has been
   * sent is seen to its end.
   */
  readonly renew: (abandoned: AbortSignal) => Promise<Grant>;
  readonly rejectionCode: TokenSource['rejectionCode'];
  readonly clock: Pick<Clock, 'now'>;
  /** A token from an earlier process. */
  readonly initial?: Grant | undefined;
}

/** A token is renewed this long before its end … */
const MARGIN_MS = 60_000;

/** Keeps one token, and renews it a minute before its end or when it is refused. All who need a new one share it. */
export class RenewingTokenSource implements TokenSource {
  readonly rejectionCode: TokenSource['rejectionCode'];
  readonly #clock: Pick<Clock, 'now'>;
  #grant: (Grant & { readonly renewAt: number }) | undefined;
  readonly #renewal: SingleFlight<string>;

  constructor(parts: RenewingTokenSourceParts) {
    this.#renewal = new SingleFlight(async (abandoned) => {
      const grant = await parts.renew(abandoned);
      this.#take(grant);
      return grant.token;
    });
    this.rejectionCode = parts.rejectionCode;
    this.#clock = parts.clock;
    if (parts.initial) this.#take(parts.initial);
  }

  token(signal?: AbortSignal): Promise<string> {
    const grant = this.#grant;
    if (grant && this.#clock.now() < grant.renewAt) return Promise.resolve(grant.token);
    return this.#renewal.join(signal);
  }

  renew(refused: string, signal?: AbortSignal): Promise<string> {
    // Another call was refused with the same token, and has it renewed already.
    if (this.#grant && this.#grant.token !== refused) return this.token(signal);
    this.#grant = undefined;
    return this.#renewal.join(signal);
  }

  #take(grant: Grant): void {
    const lifetime = grant.expiresAt - this.#clock.now();
    // … or, where it lives for minutes only, in its last fifth.
    this.#grant = { ...grant, renewAt: grant.expiresAt - Math.min(MARGIN_MS, lifetime / 5) };
  }
}
