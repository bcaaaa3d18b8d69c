import type { privateAgentMethods } from '../../ipc/contract/shell.ts';
import type { privateUpdateMethods } from '../../ipc/contract/update.ts';
import { deriveKeys } from '../../format/crypto/keys.ts';
import { masterKeyOf } from '../../format/crypto/recovery-phrase.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { locationOf } from '../home/destination-location.ts';
import { lockHolder } from '../home/home-lock.ts';
import { requireSettings } from '../home/settings.ts';
import type { HandlerContext } from './handler-context.ts';
import type { OwnHandlers } from './operation-handlers.ts';

/** Handles calls of the main process. @param stop interrupts the active run, and resolves when everything has ended */
export function shellHandlers(
  { agent, home, runs, scheduler }: HandlerContext,
  stop: () => Promise<void>,
): OwnHandlers<typeof privateAgentMethods & typeof privateUpdateMethods> {
  return {
    'phrase.words': async () => {
      const { deviceName, destination } = requireSettings(home);
      return {
        words: (await agent.recoveryPhrase()).split(' '),
        device: deviceName,
        location: locationOf(destination),
      };
    },
    'phrase.check': ({ phrase }) => {
      const { keyId } = requireSettings(home);
      if (deriveKeys(masterKeyOf(phrase)).id !== keyId) throw new HoldfastError('phrase_other_account');
      return {};
    },
    'environment.changed': ({ what }) => {
      scheduler.wake(what);
      return {};
    },
    'update.prepare': async () => {
      // The lock may be the command line's.
      if (runs.busySet !== undefined || lockHolder(home)) return { isReady: false };
      await stop();
      return { isReady: true };
    },
    'agent.stop': async () => {
      await stop();
      return {};
    },
  };
}
