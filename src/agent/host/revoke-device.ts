import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { HoldfastError } from '../../engine/errors.ts';
import { anyAnswer } from '../../engine/transfer/answers.ts';
import type { Connection } from '../../engine/transfer/connection.ts';
import { IMPATIENT_POLICY } from '../../engine/transfer/retrier.ts';
import type { ServiceCall } from '../../engine/transfer/service-calls.ts';
import type { UserCredentials } from '../../engine/transfer/sign-in.ts';
import type { AgentParts } from '../agent.ts';
import { connectTo } from '../destination/service-access.ts';
import { wrongUsage } from '../failure.ts';
import { KeyStoreSession } from '../key-store/stored-session.ts';
import { requireSettings } from '../sets/set-store.ts';

/**
 * Takes a device its key away at the service; what it backed up stays. A home that signs in as a device has to be given a
 * person's sign-in, which is used for this and kept nowhere.
 *
 * @throws HoldfastError `permission_denied` (also where a sign-in is needed and missing), `password_wrong`, `code_wrong`,
 *   `usage` where the destination has no devices of its own or not this one; and what the service throws
 */
export async function revokeDevice(
  { home, keyStore, clock, environment }: AgentParts,
  id: string,
  person: UserCredentials | undefined,
): Promise<void> {
  const { destination } = requireSettings(home);
  if (destination.kind !== 'service') throw wrongUsage('devices-without-service');
  if (destination.signIn.kind === 'device' && !person) {
    throw new HoldfastError('permission_denied', { problem: 'sign-in-needed' });
  }
  const { http, connection } = await connectTo(destination.url, {
    clock,
    environment,
    policy: IMPATIENT_POLICY,
  });
  try {
    if (person) await revokeAs(connection, person, id);
    else {
      const { asUser } = await import('../../engine/transfer/connection.ts');
      await (await asUser(connection, new KeyStoreSession(keyStore))).calls.call(revocation(id));
    }
  } finally {
    await http.close();
  }
}

async function revokeAs({ calls }: Connection, person: UserCredentials, id: string): Promise<void> {
  const { signIn } = await import('../../engine/transfer/sign-in.ts');
  const session = await signIn(calls, person);
  await calls.call(revocation(id), session.access_token);
}

function revocation(id: string): ServiceCall<void> {
  return {
    method: 'DELETE',
    path: `${ENDPOINTS.devices}/${encodeURIComponent(id)}`,
    read: anyAnswer,
    refused: ({ status }) => (status === 404 ? wrongUsage('device-unknown', { device: id }) : undefined),
  };
}
