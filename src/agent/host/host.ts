import { agentMethods, type AgentMethods } from '../../ipc/contract/contract.ts';
import type { Answer } from '../../base/calls/answer.ts';
import { failureOf, INTERNAL, type Failure } from '../../base/errors/failure.ts';
import type { Handlers } from '../../base/calls/contract.ts';
import { serve } from '../../base/calls/serve-contract.ts';
import { SystemKeychain } from '../key-store/keychain.ts';
import { accountHandlers } from './account/account-handlers.ts';
import { AccountPerson } from './account/account-person.ts';
import { activityHandlers } from './activity/activity-handlers.ts';
import { alarmHandlers } from './alarms/alarm-handlers.ts';
import { deviceHandlers } from './account/device-handlers.ts';
import { HostComposition, type HostOptions } from './composition.ts';
import { historyHandlers } from './history/history-handlers.ts';
import { mountHandlers } from './mounts/mount-handlers.ts';
import { operationHandlers } from './operation-handlers.ts';
import { KeychainAvailability } from './account/keychain-availability.ts';
import { reportError } from './report-error.ts';
import { preferenceHandlers } from './preferences.ts';
import { keyHandlers } from './account/key-handlers.ts';
import { reportHandlers } from './report/report-handlers.ts';
import { shellHandlers } from './shell-handlers.ts';
import { contentHandlers } from './restores/content-handlers.ts';
import { restoreHandlers } from './restores/restore-handlers.ts';
import { setsHandlers } from './sets/sets-handlers.ts';
import { setupHandlers } from './setup/setup-handlers.ts';

/** A keychain that does not respond while a person waits for Settings counts as unavailable. */
const KEYCHAIN_TIMEOUT_MS = 4000;

/** The agent behind the window. Serves its calls, and publishes the app state whenever it changes. */
export class AgentHost {
  readonly #composition: HostComposition;
  readonly #keychain: KeychainAvailability;
  readonly #handlers: Handlers<AgentMethods>;
  readonly #person: AccountPerson;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    const { keyStore, environment } = options;
    const composition = new HostComposition(options);
    const { context, catalog, starter, restores, alarms, preferences, report, state, mounts } = composition;
    const keychain = new KeychainAvailability(new SystemKeychain(environment, KEYCHAIN_TIMEOUT_MS));
    const person = new AccountPerson(context.agent.parts, context.browse);
    this.#composition = composition;
    this.#person = person;
    this.#keychain = keychain;
    this.#handlers = {
      ...operationHandlers(context),
      ...setupHandlers(context),
      ...setsHandlers(context),
      ...restoreHandlers(context, restores),
      ...contentHandlers(context),
      ...mountHandlers(mounts),
      ...historyHandlers(context),
      ...activityHandlers(context, catalog, starter),
      ...deviceHandlers(context, { catalog, keyStore, keychain, person, state: () => state.make() }),
      ...keyHandlers(context),
      ...accountHandlers(context, person),
      ...alarmHandlers(context, alarms, person),
      ...preferenceHandlers(context, preferences),
      ...reportHandlers(context, report),
      ...shellHandlers(context, () => this.close()),
    };
  }

  start(): void {
    this.#composition.start();
    // Gives Settings the result at once.
    void this.#keychain.isAvailable();
  }

  /** @param input is checked against the contract */
  call(method: string, input: unknown): Promise<Answer> {
    return serve(agentMethods, this.#handlers, method, input, explain);
  }

  /** Interrupts the active run, and resolves when everything has ended. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#composition.close(), this.#person.close()]).then(() => undefined);
    return this.#closing;
  }
}

/** Converts an error for the caller. Writes unexpected ones to stderr. */
function explain(error: unknown): Failure {
  const failure = failureOf(error);
  if (failure) return failure;
  reportError(error);
  return INTERNAL;
}
