import type { Logger } from 'pino';
import { failureFacts } from '../failure-facts.ts';

/** A component that every request needs. */
export interface ReadinessProbe {
  readonly part: 'database' | 'objects';
  /** Rejects if the component is unavailable. */
  check(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, 'ok' | 'failed'>>;
}

/** Maximum age of a result in milliseconds, since balancers query often. */
const KEPT = 1_000;

/** Time limit for a component in milliseconds. */
const PATIENCE = 5_000;

/** Readiness of a service for load balancers. */
export class ReadinessCheck {
  readonly #probes: readonly ReadinessProbe[];
  readonly #now: () => number;
  readonly #log: Logger;
  #latest: { readonly at: number; readonly answer: Promise<Readiness> } | undefined;
  readonly #failed = new Set<string>();

  constructor(probes: readonly ReadinessProbe[], now: () => number, log: Logger) {
    this.#probes = probes;
    this.#now = now;
    this.#log = log;
  }

  /** Never rejects. */
  ask(): Promise<Readiness> {
    const now = this.#now();
    const latest = this.#latest;
    if (latest && now >= latest.at && now - latest.at < KEPT) return latest.answer;
    const answer = this.#check();
    this.#latest = { at: now, answer };
    return answer;
  }

  async #check(): Promise<Readiness> {
    const answers = await Promise.all(
      this.#probes.map(async (probe) => [probe.part, await this.#probe(probe)] as const),
    );
    return { ready: answers.every(([, state]) => state === 'ok'), parts: Object.fromEntries(answers) };
  }

  async #probe(probe: ReadinessProbe): Promise<'ok' | 'failed'> {
    const { part } = probe;
    const late = new AbortController();
    try {
      await Promise.race([probe.check(), timeUp(late.signal)]);
      if (this.#failed.delete(part)) this.#log.info({ part }, 'a part of the service is back');
      return 'ok';
    } catch (error) {
      // Logged once, however often it is queried.
      if (!this.#failed.has(part))
        this.#log.error({ part, failure: failureFacts(error) }, 'a part of the service failed');
      this.#failed.add(part);
      return 'failed';
    } finally {
      late.abort();
    }
  }
}

function timeUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new PartTimeoutError('no answer in time')), PATIENCE);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
}

class PartTimeoutError extends Error {
  override readonly name = 'PartTimeoutError';
}
