import type { agentMethods } from '../../ipc/contract/contract.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import type { lockMethods } from '../../ipc/contract/account/lock.ts';
import type { Call, Handlers } from '../../base/calls/contract.ts';
import type { WindowLock } from './window-lock.ts';

export interface LockCallParts {
  readonly lock: WindowLock;
  readonly agent: Call<typeof agentMethods>;
  /** Returns whether the system can verify the person. */
  readonly canAuthenticate: () => boolean;
  /** @throws HoldfastError `refused` when the system did not recognise the person */
  readonly authenticate: () => Promise<void>;
}

/** Handlers for the calls that lock, unlock and configure the window. */
export function lockCalls({ lock, agent, canAuthenticate, authenticate }: LockCallParts): Handlers<typeof lockMethods> {
  return {
    'lock.now': () => {
      lock.lock();
      return {};
    },
    'lock.unlock': async ({ password }) => {
      await lock.unlock(password);
      return {};
    },
    'lock.unlock-with-phrase': async ({ phrase }) => {
      if (!lock.isLocked) return {};
      await agent('phrase.check', { phrase });
      lock.turnOff();
      return {};
    },
    'lock.unlock-with-system': async () => {
      if (!canAuthenticate()) throw new HoldfastError('refused', { problem: 'person' });
      await authenticate();
      lock.open();
      return {};
    },
    'lock.set-password': async ({ password, current }) => {
      await lock.setPassword(password, current);
      return {};
    },
    'lock.remove': async ({ current }) => {
      await lock.remove(current);
      return {};
    },
    'lock.configure': (when) => {
      lock.configure(when);
      return {};
    },
  };
}
