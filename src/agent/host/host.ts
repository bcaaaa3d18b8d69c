import { inspect } from 'node:util';
import { agentMethods, type AgentMethods } from '../../ipc/contract/contract.ts';
import type { Answer } from '../../base/calls/answer.ts';
import { type Failure, failureOf } from '../../base/failure.ts';
import type { Handlers } from '../../base/calls/method.ts';
import { serve } from '../../base/calls/serve.ts';
import { SystemKeychain } from '../key-store/keychain.ts';
import { accountHandlers } from './account/account-handlers.ts';
import { AccountPerson } from './account/account-person.ts';
import { activityHandlers } from './activity/activity-handlers.ts';
import { alarmHandlers } from './alarms/alarm-handlers.ts';
import { deviceHandlers } from './account/device-handlers.ts';
import { HostCore, type HostOptions } from './host-core.ts';
import { KeychainSight } from './account/keychain-availability.ts';
import { preferenceHandlers } from './preferences-handlers.ts';
import { privateHandlers } from './shell-handlers.ts';
import { restoreHandlers } from './restores/restore-handlers.ts';
import { setsHandlers } from './sets/sets-handlers.ts';
import { setupHandlers } from './setup/setup-handlers.ts';

/** While a person looks at Settings, a keychain that does not answer is none. */
const LOOK_PATIENCE_MS = 4000;

/**
 * The agent behind the window: everything that goes on, whoever looks. Answers calls, and tells the state whenever it is
 * another.
 */
export class AgentHost {
  readonly #core: HostCore;
  readonly #keychain: KeychainSight;
  readonly #handlers: Handlers<AgentMethods>;
  readonly #person: AccountPerson;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    const { keyStore, environment } = options;
    const core = new HostCore(options);
    const { parts, records, starter } = core;
    const keychain = new KeychainSight(new SystemKeychain(environment, LOOK_PATIENCE_MS));
    const person = new AccountPerson(parts.parts, parts.browse);
    this.#core = core;
    this.#person = person;
    this.#keychain = keychain;
    this.#handlers = {
      ...setupHandlers(parts),
      ...setsHandlers(parts),
      ...restoreHandlers(parts, core.restores),
      ...activityHandlers(parts, records, starter),
      ...deviceHandlers(parts, { records, keyStore, keychain, person, state: () => core.state() }),
      ...accountHandlers(parts, person),
      ...alarmHandlers(parts, core.alarms, person),
      ...preferenceHandlers(parts, core.preferences),
      ...privateHandlers(parts, () => this.close()),
    };
  }

  start(): void {
    this.#core.start();
    // Settings shows at once whether there is one.
    void this.#keychain.isAvailable();
  }

  /** @param input of any form: it is checked */
  call(method: string, input: unknown): Promise<Answer> {
    return serve(agentMethods, this.#handlers, method, input, explain);
  }

  /** Interrupts what goes on, in order; resolves when nothing does any more. */
  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#core.close(), this.#person.close()]).then(() => undefined);
    return this.#closing;
  }
}

/** What an error is to whoever asked; one that nobody expects is written out for whoever looks for the mistake. */
function explain(error: unknown): Failure {
  const failure = failureOf(error);
  if (failure) return failure;
  process.stderr.write(`${inspect(error)}\n`);
  return { code: 'internal', details: {} };
}
