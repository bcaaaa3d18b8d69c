import { HoldfastError } from '../../../base/errors/errors.ts';
import { connectAsUser } from '../../../remote/connection.ts';
import { visibleDevices } from '../../destination/keys/account-devices.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { requireDevice } from '../../destination/keys/account-devices.ts';
import { saveSignIn } from '../../operations/sign-in.ts';
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
  { agent: { parts } }: Pick<HandlerContext, 'agent'>,
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
  await saveSignIn(parts, id, { kind: 'user', email, session: session.session });
  person.handOver();
}
