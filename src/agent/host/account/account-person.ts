import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import type { AuthorisedCalls } from '../../../engine/transfer/client/authorised-calls.ts';
import { connectAsUser } from '../../../engine/transfer/connection.ts';
import type { SessionStore } from '../../../engine/transfer/sign-in/user-token-source.ts';
import type { PersonStep } from '../../../ipc/contract/account.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { Destination, Settings } from '../../home/settings.ts';
import { KeyStoreSession } from '../../key-store/stored-session.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { requireSettings } from '../../home/settings.ts';
import { endAtService, PersonSignIn, type SignedIn } from '../setup/person-sign-in.ts';

/** Who has signed in for the account is forgotten after so long. */
export const PERSON_LIFETIME_MS = 10 * 60 * 1000;

/** Whoever quits does not wait longer than that for a service that does not answer. */
const LEAVING_MS = 1000;

type ServiceDestination = Extract<Destination, { kind: 'service' }>;

/** Who asks the service, and what they may ask it. */
export interface AccountCaller {
  readonly email: string;
  readonly calls: AuthorisedCalls;
}

/**
 * A person who has signed in at the service of this home, for what its device key may not do. Their session is in this
 * memory only, and is ended at the service when it is not needed any more.
 */
export class AccountPerson {
  readonly #parts: AgentParts;
  readonly #person: PersonSignIn;
  #leaving: Promise<void> = Promise.resolve();

  constructor(parts: AgentParts, browse: (url: string) => void) {
    this.#parts = parts;
    const dropped = (signedIn: SignedIn): void => {
      this.#leaving = endAtService(signedIn, parts);
    };
    this.#person = new PersonSignIn(parts, { browse, lifetimeMs: PERSON_LIFETIME_MS, dropped });
  }

  /** The service of this home. @throws HoldfastError `not_set_up`; HoldfastError `refused` (`no-service`) */
  service(): { readonly destination: ServiceDestination; readonly settings: Settings } {
    const settings = requireSettings(this.#parts.home);
    const { destination } = settings;
    if (destination.kind !== 'service') throw new HoldfastError('refused', { problem: 'no-service' });
    return { destination, settings };
  }

  /** @throws HoldfastError what `PersonSignIn.begin` throws */
  async signIn(email: string, password: string): Promise<PersonStep> {
    return told(await this.#person.begin(this.#url, email, password));
  }

  /** @throws HoldfastError what `PersonSignIn.beginWithProvider` throws */
  async signInWithProvider(): Promise<PersonStep> {
    return told(await this.#person.beginWithProvider(this.#url));
  }

  /** @throws HoldfastError what `PersonSignIn.verify` throws */
  async verify(factorId: string, code: string): Promise<PersonStep> {
    return told(await this.#person.verify(factorId, code));
  }

  /** Who has signed in, if anybody has. */
  signedIn(): SignedIn | undefined {
    return this.#person.signedInAt(this.#url);
  }

  /** Forgets who has signed in, or is about to. */
  leave(): void {
    this.#person.drop();
  }

  /** The session is somebody else's to keep from now on. */
  handOver(): void {
    this.#person.handOver();
  }

  /**
   * Does something as the person who has signed in, or, where this home keeps a person's session anyway, as that one.
   *
   * @throws HoldfastError `signed_out` where there is neither, or the service has ended it; what the work throws
   */
  async ask<Result>(work: (caller: AccountCaller) => Promise<Result>): Promise<Result> {
    const { destination } = this.service();
    const person = this.signedIn();
    const { signIn, url } = destination;
    if (!person && signIn.kind === 'device') throw new HoldfastError('signed_out', { problem: 'sign-in-needed' });
    const store: SessionStore = person?.session ?? new KeyStoreSession(this.#parts.keyStore);
    try {
      return await withConnection(url, this.#parts, async (connection) => {
        const { calls } = await connectAsUser(connection, store);
        return await work({ email: person?.email ?? signIn.email ?? '', calls });
      });
    } catch (error) {
      if (person && isHoldfastError(error, 'signed_out')) this.#person.handOver();
      throw error;
    }
  }

  /** Leaves, and waits a moment for the service to hear of it. */
  async close(): Promise<void> {
    this.leave();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LEAVING_MS);
    await Promise.race([this.#leaving, promise]);
    clearTimeout(timer);
  }

  get #url(): string {
    return this.service().destination.url;
  }
}

function told(progress: Awaited<ReturnType<PersonSignIn['begin']>>): PersonStep {
  return progress.kind === 'factors' ? progress : { kind: 'signed-in', email: progress.email };
}
