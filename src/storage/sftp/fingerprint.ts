import { createHash } from 'node:crypto';

/** Returns the fingerprint of a host key, as `ssh-keygen -l` shows it. */
export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
