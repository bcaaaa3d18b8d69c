import type { Handlers } from '../../base/calls/contract.ts';
import type { preferenceMethods } from '../../ipc/contract/preferences.ts';
import type { HandlerContext } from './handler-context.ts';
import type { PreferencesStore } from './preferences-store.ts';

export function preferenceHandlers(
  { changed }: HandlerContext,
  store: PreferencesStore,
): Handlers<typeof preferenceMethods> {
  return {
    'preferences.save': ({ preferences }) => {
      store.save(preferences);
      changed();
      return {};
    },
  };
}
