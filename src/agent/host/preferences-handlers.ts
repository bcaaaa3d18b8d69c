import type { Handlers } from '../../base/calls/method.ts';
import type { preferenceMethods } from '../../ipc/contract/preferences.ts';
import type { HostParts } from './handler-context.ts';
import type { PreferencesStore } from './preferences-store.ts';

export function preferenceHandlers(
  { changed }: HostParts,
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
