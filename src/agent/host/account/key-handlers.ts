import type { privateKeyMethods } from '../../../ipc/contract/account/keys.ts';
import { updateSettings } from '../../home/settings.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { OwnHandlers } from '../operation-handlers.ts';

/** Handles calls that give the key of the backups to others, or change it. */
export function keyHandlers({
  agent,
  home,
  changed,
}: Pick<HandlerContext, 'agent' | 'home' | 'changed'>): OwnHandlers<typeof privateKeyMethods> {
  return {
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
