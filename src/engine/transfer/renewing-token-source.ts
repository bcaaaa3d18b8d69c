import type { Clock } from '../clock.ts';
import type { TokenSource } from './ports.ts';
import { untilAborted } from './until-aborted.ts';

export interface Grant {
  readonly token: string;
  /** Milliseconds since the epoch by our own clock. */
  readonly expiresAt: number;
}

export interface RenewingTokenSourceParts {
  /** Gets another token; called by one renewal at a time. */
  readonly renew: () => Promise<Grant>;
  readonly refusal: TokenSource['refusal'];
  readonly clock: Pick<Clock, 'now'>;
  /** A token from an earlier process. */
  readonly initial?: Grant | undefined;
}

/** A token is renewed this long before its end … */
const MARGIN_MS = 60_000;

/** Keeps one token, and renews it a minute before its end or when it is refused. All who need a new one share it. */
export class RenewingTokenSource implements TokenSource {
  readonly refusal: TokenSource['refusal'];
  readonly #renew: () => Promise<Grant>;
  readonly #clock: Pick<Clock, 'now'>;
  #grant: (Grant & { readonly renewAt: number }) | undefined;
  #renewal: Promise<string> | undefined;

  constructor(parts: RenewingTokenSourceParts) {
    this.#renew = parts.renew;
    this.refusal = parts.refusal;
    this.#clock = parts.clock;
    if (parts.initial) this.#take(parts.initial);
  }

  token(signal?: AbortSignal): Promise<string> {
    const grant = this.#grant;
    if (grant && this.#clock.now() < grant.renewAt) return Promise.resolve(grant.token);
    return this.#shared(signal);
  }

  renew(refused: string, signal?: AbortSignal): Promise<string> {
    // Another call was refused with the same token, and has it renewed already.
    if (this.#grant && this.#grant.token !== refused) return this.token(signal);
    this.#grant = undefined;
    return this.#shared(signal);
  }

  /** The one renewal under way. It goes on when somebody who waits for it is aborted, for the sake of the others. */
  #shared(signal: AbortSignal | undefined): Promise<string> {
    this.#renewal ??= this.#renewed().finally(() => {
      this.#renewal = undefined;
    });
    return untilAborted(this.#renewal, signal);
  }

  async #renewed(): Promise<string> {
    const grant = await this.#renew();
    this.#take(grant);
    return grant.token;
  }

  #take(grant: Grant): void {
    const lifetime = grant.expiresAt - this.#clock.now();
    // … or, where it lives for minutes only, in its last fifth.
    this.#grant = { ...grant, renewAt: grant.expiresAt - Math.min(MARGIN_MS, lifetime / 5) };
  }
}
