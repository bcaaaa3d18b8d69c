import { createHash } from 'node:crypto';

/** Returns the hex hash by which the store finds an invitation. */
export function invitationHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
