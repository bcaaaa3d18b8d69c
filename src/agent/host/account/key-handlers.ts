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
    'key.code': async ({ destination: chosen }) => {
      const there = agent.at(chosen);
      const { code, expires, location } = await there.newKeyCode();
      return { code, expires, location };
    },
    'key.change': async ({ destination: chosen, revoke }) => {
      const there = agent.at(chosen);
      const { absent, withoutKey, services, lostPassphrase } = await there.rotateKey({ revoke });
      updateSettings(home, (settings) => ({ ...settings, phraseConfirmed: false }));
      changed();
      return {
        later: absent.map(({ name }) => name),
        needPhrase: withoutKey.map(({ name }) => name),
        services: [...services],
        lostPassphrase,
      };
    },
    'key.passphrase': async ({ passphrase }) => {
      const { kept, absent, services } = await agent.changePassphrase({ passphrase });
      return { kept: [...kept, ...services], unchanged: absent.map(({ name }) => name) };
    },
  };
}
