import type { AgentParts } from '../context/agent-parts.ts';
import type { Joined, JoinRequest, SetupDestination } from './join-request.ts';

/**
 * Joins a destination with a key. The caller saves the result.
 *
 * @throws HoldfastError `phrase_needed`, `phrase_other_account`, `passphrase_wrong`, `password_wrong`, `code_needed`,
 *   `code_wrong`, `provider_refused`, `device_refused`, `permission_denied`, `usage`, `destination_*`, `service_*`
 */
export async function joinDestination(
  destination: SetupDestination,
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  if (destination.kind === 'folder' || destination.kind === 'bucket') {
    const { joinFolder, joinBucket } = await import('./join-repository.ts');
    return destination.kind === 'folder'
      ? joinFolder(destination, request, parts, signal)
      : joinBucket(destination, request, parts, signal);
  }
  const { joinAsDevice, joinAsUser } = await import('./join-service.ts');
  return destination.kind === 'device'
    ? joinAsDevice(destination, request, parts, signal)
    : joinAsUser(destination, request, parts, signal);
}
