import { HoldfastError } from '../../engine/errors.ts';
import type { Device } from '../../protocol/devices.ts';
import type { deviceMethods, ListedDevice } from '../../ipc/devices.ts';
import type { Handlers } from '../../ipc/method.ts';
import type { AppState } from '../../ipc/state.ts';
import { requireSettings } from '../sets/set-store.ts';
import type { HomeKeyStore } from '../key-store/home-key-store.ts';
import type { Keychain } from '../key-store/keychain.ts';
import { diagnosticsText } from './diagnostics.ts';
import type { HostParts } from './host-parts.ts';
import type { Records } from './records.ts';
import { revokeDevice } from './revoke-device.ts';

export interface DeviceHandlerParts {
  readonly records: Records;
  readonly keyStore: HomeKeyStore;
  /** Asked whether it is there; with little patience, since a person waits for the answer. */
  readonly keychain: Keychain;
  readonly state: () => AppState;
}

/** Devices, keys, and what people send along when they ask for help. */
export function deviceHandlers(
  { agent, parts, home, clock, changed }: HostParts,
  { records, keyStore, keychain, state }: DeviceHandlerParts,
): Handlers<typeof deviceMethods> {
  return {
    'devices.list': async () => {
      const { destination, deviceId } = requireSettings(home);
      const devices = (await agent.devices()).map((device) => listedDevice(device, deviceId));
      return { devices, canRevoke: destination.kind === 'service' };
    },
    'devices.revoke': async ({ id, signIn }) => {
      await revokeDevice(parts, id, signIn);
      return {};
    },
    'security.state': async () => ({
      protection: keyStore.protection,
      place: keyStore.place,
      isKeychainAvailable: await isAvailable(keychain),
      isPhraseConfirmed: requireSettings(home).phraseConfirmed !== false,
    }),
    'security.move-keys': async ({ to }) => {
      await keyStore.moveTo(to);
      changed();
      return {};
    },
    'diagnostics.text': () => ({ text: diagnosticsText({ home, clock, records, keyStore, state: state() }) }),
  };
}

function listedDevice({ id, name, os, status, last_backup: lastBackup }: Device, own: string): ListedDevice {
  return {
    id,
    name,
    platform: os,
    isThisOne: id === own,
    status,
    ...(typeof lastBackup === 'string' ? { lastBackup } : {}),
  };
}

/** Nobody is asked to unlock it for this: what is looked for is not there, and that can be told while it is locked. */
async function isAvailable(keychain: Keychain): Promise<boolean> {
  try {
    await keychain.get('availability');
    return true;
  } catch (error) {
    if (error instanceof HoldfastError) return false;
    throw error;
  }
}
