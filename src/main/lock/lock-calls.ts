import type { agentMethods } from '../../ipc/contract.ts';
import { HoldfastError } from '../../base/errors.ts';
import type { lockMethods } from '../../ipc/lock.ts';
import type { Call, Handlers } from '../../base/calls/method.ts';
import type { WindowLock } from './window-lock.ts';

export interface LockCallParts {
  readonly lock: WindowLock;
  readonly agent: Call<typeof agentMethods>;
  readonly canAskSystem: () => boolean;
  /** @throws HoldfastError `refused` where the person was not recognised */
  readonly askSystem: () => Promise<void>;
}

/** What a window asks of its lock. */
export function lockCalls({ lock, agent, canAskSystem, askSystem }: LockCallParts): Handlers<typeof lockMethods> {
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
      lock.drop();
      return {};
    },
    'lock.unlock-with-system': async () => {
      if (!canAskSystem()) throw new HoldfastError('refused', { problem: 'person' });
      await askSystem();
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
