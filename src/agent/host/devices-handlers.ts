import type { Device } from '../../protocol/devices.ts';
import type { deviceMethods, ListedDevice } from '../../ipc/devices.ts';
import type { Handlers } from '../../ipc/method.ts';
import type { AppState } from '../../ipc/state.ts';
import { requireSettings } from '../sets/set-store.ts';
import type { HomeKeyStore } from '../key-store/home-key-store.ts';
import { diagnosticsText } from './diagnostics.ts';
import type { HostParts } from './host-parts.ts';
import type { KeychainSight } from './keychain-sight.ts';
import type { Records } from './records.ts';
import { revokeDevice } from './revoke-device.ts';

export interface DeviceHandlerParts {
  readonly records: Records;
  readonly keyStore: HomeKeyStore;
  readonly keychain: KeychainSight;
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
      isKeychainAvailable: await keychain.isAvailable(),
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
