import { claimedKey } from '../../../remote/sign-in/account-key.ts';
import { connectAsUser } from '../../../remote/connection.ts';
import type { SignInStep } from '../../../ipc/contract/setup.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { storedSets } from '../../destination/keys/account-keys.ts';
import { visibleDevices } from '../../destination/keys/account-devices.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { endAtService, PersonSignIn, signInExpired, type SignedIn } from './person-sign-in.ts';
import { MINUTE } from '../../../model/units.ts';

/** The longest wait of a setup for its next step. */
export const SIGN_IN_LIFETIME_MS = 15 * MINUTE;

type Progress = Awaited<ReturnType<PersonSignIn['begin']>>;

/** Signs in for a setup, and then reports which devices and backups the account has. */
export class SetupSignIn {
  readonly #parts: AgentParts;
  readonly #person: PersonSignIn;

  constructor(parts: AgentParts, browse: (url: string) => void) {
    this.#parts = parts;
    const dropped = (signedIn: SignedIn): void => void endAtService(signedIn, parts);
    this.#person = new PersonSignIn(parts, { browse, lifetimeMs: SIGN_IN_LIFETIME_MS, dropped });
  }

  /** @throws HoldfastError what `PersonSignIn.begin` throws */
  async begin(url: string, email: string, password: string): Promise<SignInStep> {
    return this.#step(await this.#person.begin(url, email, password));
  }

  /** @throws HoldfastError what `PersonSignIn.beginWithProvider` throws */
  async beginWithProvider(url: string): Promise<SignInStep> {
    return this.#step(await this.#person.beginWithProvider(url));
  }

  /** @throws HoldfastError what `PersonSignIn.verify` throws */
  async verify(factorId: string, code: string): Promise<SignInStep> {
    return this.#step(await this.#person.verify(factorId, code));
  }

  /** @throws HoldfastError `signed_out` if nobody has signed in */
  signedInAt(url: string): SignedIn {
    const signedIn = this.#person.signedInAt(url);
    if (!signedIn) throw signInExpired(url);
    return signedIn;
  }

  /** Must be called when the setup is done. @param isKept whether it stored the session */
  done(isKept: boolean): void {
    if (isKept) this.#person.handOver();
    else this.#person.drop();
  }

  /** Gives up the current sign-in or session. */
  drop(): void {
    this.#person.drop();
  }

  #step(progress: Progress): Promise<SignInStep> | SignInStep {
    return progress.kind === 'factors' ? progress : this.#describeAccount(progress, this.#person.signal);
  }

  #describeAccount({ url, email, session }: SignedIn, signal: AbortSignal): Promise<SignInStep> {
    return withConnection(url, this.#parts, async (connection) => {
      const signedIn = await connectAsUser(connection, session);
      const devices = await visibleDevices(signedIn.service, signal);
      const ids = devices.map(({ id }) => id);
      const sets = (await storedSets(signedIn, ids, signal)) ?? [];
      return {
        kind: 'signed-in',
        email,
        holdsBackups: sets.length > 0 || (await claimedKey(signedIn, signal)) !== undefined,
        devices: devices.map(({ id, name, last_seen: seen, last_backup: last }) => ({
          id,
          name,
          lastSeen: seen ?? last ?? undefined,
        })),
      };
    });
  }
}
