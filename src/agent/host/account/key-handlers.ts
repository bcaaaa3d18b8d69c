import type { privateKeyMethods } from '../../../ipc/contract/account/keys.ts';
import type { Handlers } from '../../../base/calls/contract.ts';
import { updateSettings } from '../../home/settings.ts';
import type { HandlerContext } from '../handler-context.ts';

/** Handles calls that give the key of the backups to others, or change it. */
export function keyHandlers({
  agent,
  home,
  changed,
}: Pick<HandlerContext, 'agent' | 'home' | 'changed'>): Handlers<typeof privateKeyMethods> {
  return {
    'key.code': ({ destination }) => agent.at(destination).newKeyCode({}),
    'key.change': async ({ destination, ...input }) => {
      const { absent, withoutKey, services, lostPassphrase } = await agent.at(destination).rotateKey(input);
      updateSettings(home, (settings) => ({ ...settings, phraseConfirmed: false }));
      changed();
      return {
        later: absent.map(({ name }) => name),
        needPhrase: withoutKey.map(({ name }) => name),
        services,
        lostPassphrase,
      };
    },
    'key.passphrase': async (input) => {
      const { kept, absent, services } = await agent.changePassphrase(input);
      return { kept: [...kept, ...services], unchanged: absent.map(({ name }) => name) };
    },
  };
}
