import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { HoldfastError } from '../../base/errors.ts';
import { discardResponse } from '../../engine/transfer/client/responses.ts';
import type { AgentParts } from '../agent.ts';
import { wrongUsage } from '../../base/failure.ts';
import { requireSettings } from '../sets/set-store.ts';
import type { AccountPerson } from '../host/account/account-person.ts';

/**
 * Takes a device its key away at the service; what it backed up stays. A home that signs in as a device needs a person
 * who has signed in for it.
 *
 * @throws HoldfastError `permission_denied` (also where a sign-in is needed and missing), `usage` where the destination
 *   has no devices of its own or not this one; and what the service throws
 */
export async function revokeDevice({ home }: AgentParts, id: string, person: AccountPerson): Promise<void> {
  const { destination } = requireSettings(home);
  if (destination.kind !== 'service') throw wrongUsage('devices-without-service');
  if (destination.signIn.kind === 'device' && !person.signedIn()) {
    throw new HoldfastError('permission_denied', { problem: 'sign-in-needed' });
  }
  await person.ask(({ calls }) =>
    calls.call({
      method: 'DELETE',
      path: `${ENDPOINTS.devices}/${encodeURIComponent(id)}`,
      read: discardResponse,
      errorFor: ({ status }) => (status === 404 ? wrongUsage('device-unknown', { device: id }) : undefined),
    }),
  );
}
