import type { Device } from '../../../protocol/devices.ts';
import type { deviceMethods, ListedDevice } from '../../../ipc/contract/account/devices.ts';
import type { Handlers, OutputOf } from '../../../base/calls/contract.ts';
import type { AppState } from '../../../ipc/state.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { requireSettings, type Settings } from '../../home/settings.ts';
import type { HomeKeyStore } from '../../key-store/home-key-store.ts';
import type { AccountPerson } from './account-person.ts';
import { diagnosticsText } from '../state/diagnostics.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { KeychainAvailability } from './keychain-availability.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';

export interface DeviceHandlerParts {
  readonly catalog: CatalogAccess;
  readonly keyStore: HomeKeyStore;
  readonly keychain: KeychainAvailability;
  readonly state: () => AppState;
  readonly person: AccountPerson;
}

/** Handles calls about devices, keys and diagnostics. */
export function deviceHandlers(
  { agent, home, clock, changed }: HandlerContext,
  { catalog, keyStore, keychain, state, person }: DeviceHandlerParts,
): Handlers<typeof deviceMethods> {
  return {
    'devices.list': async ({ destination: chosen }) => {
      const { destination, deviceId } = requireSettings(home, chosen);
      const isService = destination.kind === 'service';
      const devices = (await agent.at(chosen).devices()).map((device) => listedDevice(device, deviceId, isService));
      return { devices, canRevoke: isService };
    },
    'devices.revoke': async ({ id, destination }) => {
      // By default at the destination whose devices are listed by default.
      const { id: place } = requireSettings(home, destination);
      await agent.at(place).revokeDevice({ id }, { person: person.at(place) });
      return {};
    },
    'security.state': async () => ({
      protection: keyStore.protection,
      location: keyStore.location,
      isKeychainAvailable: await keychain.isAvailable(),
      phrase: phraseState(requireSettings(home)),
      hasPassphrase: await agent.hasPassphrase().catch(asUnreadable),
    }),
    'security.move-keys': async ({ to }) => {
      await keyStore.moveTo(to);
      changed();
      return {};
    },
    'diagnostics.text': () => ({ text: diagnosticsText({ home, clock, catalog, keyStore, state: state() }) }),
  };
}

function phraseState({ phraseConfirmed }: Settings): OutputOf<typeof deviceMethods, 'security.state'>['phrase'] {
  if (phraseConfirmed === undefined) return 'not-asked';
  return phraseConfirmed ? 'confirmed' : 'unconfirmed';
}

/** Other calls say what is wrong with the keys. */
function asUnreadable(error: unknown): undefined {
  if (!isHoldfastError(error)) throw error;
}

/** @param hasSignIns false for a folder, which no device signs in to */
function listedDevice(device: Device, own: string, hasSignIns: boolean): ListedDevice {
  const { id, name, os, status, last_backup: lastBackup, last_seen: lastSeen } = device;
  return {
    id,
    name,
    platform: os,
    isThisOne: id === own,
    status,
    ...(typeof lastBackup === 'string' ? { lastBackup } : {}),
    ...(hasSignIns && typeof lastSeen === 'string' ? { lastSeen } : {}),
  };
}
