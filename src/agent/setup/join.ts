import type { AgentParts } from '../context/agent-parts.ts';
import type { Joined, JoinRequest, SetupDestination } from './join-request.ts';

/**
 * Joins a destination with a key.
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
  switch (destination.kind) {
    case 'folder':
      return (await import('./join-repository.ts')).joinFolder(destination, request, parts, signal);
    case 'bucket':
    case 'sftp':
    case 'webdav':
    case 'rclone':
      return (await import('./join-repository.ts')).joinChosenStore(destination, request, parts, signal);
    case 'device':
      return (await import('./join-service.ts')).joinAsDevice(destination, request, parts, signal);
    case 'user':
    case 'provider':
    case 'session':
      return (await import('./join-service.ts')).joinAsUser(destination, request, parts, signal);
  }
}
