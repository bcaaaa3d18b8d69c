import type { Device } from '../../protocol/devices.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { HoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import { discardResponse } from '../../remote/client/responses.ts';
import type { AuthorisedCalls } from '../../remote/client/authorised-calls.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { NoInput, OperationRun } from '../context/operation-run.ts';
import { withContext } from '../context/open-context.ts';
import { requireSettings } from '../home/settings.ts';

export function devices(
  parts: AgentParts,
  _input: NoInput = {},
  { signal }: OperationRun = {},
): Promise<readonly Device[]> {
  return withContext(parts, {}, ({ access }) => access.service.devices(signal));
}

/** Calls the service as a person: one who has signed in for it, or whose session this home stores anyway. */
export interface PersonCalls {
  signedIn(): object | undefined;
  /** @throws HoldfastError `signed_out`; what `work` throws */
  ask<Result>(work: (caller: { readonly calls: AuthorisedCalls }) => Promise<Result>): Promise<Result>;
}

/**
 * Revokes the key of a device at the service. Its backups stay. A home that signs in as a device needs a person who has
 * signed in for it.
 *
 * @throws HoldfastError `permission_denied` (also if a sign-in is needed and missing), `usage` if the destination has no
 *   devices of its own or not this one; and what the service throws
 */
export async function revokeDevice(
  { home, destination: at }: AgentParts,
  { id }: { readonly id: string },
  { person }: { readonly person: PersonCalls },
): Promise<void> {
  const { destination } = requireSettings(home, at);
  if (destination.kind !== 'service') throw wrongUsage({ problem: 'devices-without-service' });
  if (destination.signIn.kind === 'device' && !person.signedIn()) {
    throw new HoldfastError('permission_denied', { problem: 'sign-in-needed' });
  }
  await person.ask(({ calls }) =>
    calls.call({
      method: 'DELETE',
      path: `${ENDPOINTS.devices}/${encodeURIComponent(id)}`,
      read: discardResponse,
      errorFor: ({ status }) => (status === 404 ? wrongUsage({ problem: 'device-unknown', device: id }) : undefined),
    }),
  );
}
