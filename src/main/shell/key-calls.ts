import type { agentMethods } from '../../ipc/contract/contract.ts';
import type { keyMethods } from '../../ipc/contract/account/keys.ts';
import type { Call, Handlers } from '../../base/calls/contract.ts';
import type { ShellParts } from './shell-calls.ts';

/** Handlers for the calls that give the key of the backups to others, or change it. Each verifies the person first. */
export function keyCalls({
  agent,
  authenticate,
}: Pick<ShellParts, 'authenticate'> & { readonly agent: Call<typeof agentMethods> }): Handlers<typeof keyMethods> {
  return {
    'key.show-code': async ({ password, ...place }) => {
      await authenticate(password);
      return agent('key.code', place);
    },
    'key.renew': async ({ password, ...change }) => {
      await authenticate(password);
      return agent('key.change', change);
    },
    'key.set-passphrase': async ({ password, ...passphrase }) => {
      await authenticate(password);
      return agent('key.passphrase', passphrase);
    },
  };
}
