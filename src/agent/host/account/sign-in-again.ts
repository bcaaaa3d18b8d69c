import { HoldfastError } from '../../../base/errors/errors.ts';
import { connectAsUser } from '../../../engine/transfer/connection.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';
import { lockSettings } from '../../home/settings-lock.ts';
import { visibleDevices } from '../../destination/keys/account-devices.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { requireDevice } from '../../destination/keys/account-devices.ts';
import { requireStoredSettings, saveStoredSettings, settingsFor, withSettings } from '../../home/settings.ts';
import type { AccountPerson } from './account-person.ts';
import type { HandlerContext } from '../handler-context.ts';
import { signInExpired } from '../setup/person-sign-in.ts';

/**
 * Replaces the expired session of a home by that of a person who has signed in. Their account must have this device.
 *
 * @param destinationId the first service by default
 * @throws HoldfastError `refused` if the destination is no service, `device_refused` if the home signs in by its own key,
 *   `signed_out` if nobody has signed in, `usage` (`device-unknown`), `service_*`
 */
export async function signInAgain(
  { parts, home }: Pick<HandlerContext, 'parts' | 'home'>,
  person: AccountPerson,
  destinationId?: string,
): Promise<void> {
  const { destination, settings: before } = person.service(destinationId);
  const { id, deviceId } = before;
  const { url } = destination;
  if (destination.signIn.kind === 'device') throw new HoldfastError('device_refused', { deviceId, address: url });
  const signedIn = person.signedIn(id);
  if (!signedIn) throw signInExpired(url);
  const { email, session } = signedIn;
  await withConnection(url, parts, async (connection) => {
    requireDevice(await visibleDevices((await connectAsUser(connection, session)).service), deviceId);
  });
  using _lock = lockSettings(home);
  const stored = requireStoredSettings(home);
  const settings = settingsFor(stored, id);
  const keyStore = parts.keyStore.at(settings.credentials);
  await requireSecrets(keyStore, settings);
  await keyStore.saveSession(session.session);
  const renewed = { ...destination, signIn: { kind: 'user', email } } as const;
  saveStoredSettings(home, withSettings(stored, { ...settings, destination: renewed }));
  person.handOver();
}
