import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import type { AuthorisedCalls } from '../../../remote/client/authorised-calls.ts';
import { connectAsUser } from '../../../remote/connection.ts';
import type { SessionStore } from '../../../remote/sign-in/user-token-source.ts';
import type { PersonStep } from '../../../ipc/contract/account/account.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { Settings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import type { Destination } from '../../../model/destination.ts';
import { KeyStoreSession } from '../../key-store/stored-session.ts';
import { withConnection } from '../../destination/service-connection.ts';
import type { PersonCalls } from '../../operations/devices.ts';
import { requireSettings } from '../../home/settings.ts';
import { resultWithin } from '../result-within.ts';
import { endAtService, PersonSignIn, type SignedIn } from '../setup/person-sign-in.ts';
import { MINUTE } from '../../../model/units.ts';

/** A person is signed out after this time. */
export const PERSON_LIFETIME_MS = 10 * MINUTE;

/** Quitting waits this long for a service that does not respond. */
const SIGN_OUT_TIMEOUT_MS = 1000;

type ServiceDestination = Extract<Destination, { kind: 'service' }>;

/** A signed-in person, with calls that are authorised as them. */
export interface AccountCaller {
  readonly email: string;
  readonly calls: AuthorisedCalls;
}

/**
 * A person who has signed in at the service of this home, for what its device key may not do. Their session is held in
 * memory only, and is ended at the service when it is no longer needed.
 */
export class AccountPerson {
  readonly #parts: AgentParts;
  readonly #person: PersonSignIn;
  #signingOut: Promise<void> = Promise.resolve();

  constructor(parts: AgentParts, browse: (url: string) => void) {
    this.#parts = parts;
    const dropped = (signedIn: SignedIn): void => {
      this.#signingOut = endAtService(signedIn, parts);
    };
    this.#person = new PersonSignIn(parts, { browse, lifetimeMs: PERSON_LIFETIME_MS, dropped });
  }

  /**
   * Returns a destination that is a service.
   *
   * @param id the first service by default
   * @throws HoldfastError `not_set_up`, `destination_unknown`, `refused` (`no-service`)
   */
  service(id?: string): { readonly destination: ServiceDestination; readonly settings: Settings } {
    const { all } = requireSettings(this.#parts.home);
    const settings = requireSettings(this.#parts.home, id ?? all.find(isService)?.id);
    const { destination } = settings;
    if (destination.kind !== 'service') throw new HoldfastError('refused', { problem: 'no-service' });
    return { destination, settings };
  }

  /** Returns the same person for calls of one destination. */
  at(id: string | undefined): PersonCalls {
    return { signedIn: () => this.signedIn(id), ask: (work) => this.ask(work, id) };
  }

  /** @throws HoldfastError what `PersonSignIn.begin` throws */
  async signIn(email: string, password: string, id?: string): Promise<PersonStep> {
    return stepOf(await this.#person.begin(this.#urlOf(id), email, password));
  }

  /** @throws HoldfastError what `PersonSignIn.beginWithProvider` throws */
  async signInWithProvider(id?: string): Promise<PersonStep> {
    return stepOf(await this.#person.beginWithProvider(this.#urlOf(id)));
  }

  /** @throws HoldfastError what `PersonSignIn.verify` throws */
  async verify(factorId: string, code: string): Promise<PersonStep> {
    return stepOf(await this.#person.verify(factorId, code));
  }

  /** Returns the session of the person who is signed in at that service, if any. */
  signedIn(id?: string): SignedIn | undefined {
    return this.#person.signedInAt(this.#urlOf(id));
  }

  /** Ends the sign-in, also one in progress. */
  leave(): void {
    this.#person.drop();
  }

  /** Gives up the session without ending it: it is stored elsewhere now. */
  handOver(): void {
    this.#person.handOver();
  }

  /**
   * Calls the service as the person who has signed in, or with the person's session that this home stores anyway.
   *
   * @throws HoldfastError `signed_out` if there is neither, or the service has ended it; what `work` throws
   */
  async ask<Result>(work: (caller: AccountCaller) => Promise<Result>, id?: string): Promise<Result> {
    const { destination, settings } = this.service(id);
    const person = this.signedIn(id);
    const { signIn, url } = destination;
    if (!person && signIn.kind === 'device') throw new HoldfastError('signed_out', { problem: 'sign-in-needed' });
    const store: SessionStore = person?.session ?? new KeyStoreSession(this.#parts.keyStore.at(settings.credentials));
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

  /** Ends the sign-in, and waits a moment for the service to process it. */
  async close(): Promise<void> {
    this.leave();
    await resultWithin(SIGN_OUT_TIMEOUT_MS, this.#signingOut);
  }

  #urlOf(id: string | undefined): string {
    return this.service(id).destination.url;
  }
}

function isService({ destination }: DestinationEntry): boolean {
  return destination.kind === 'service';
}

function stepOf(progress: Awaited<ReturnType<PersonSignIn['begin']>>): PersonStep {
  return progress.kind === 'factors' ? progress : { kind: 'signed-in', email: progress.email };
}
