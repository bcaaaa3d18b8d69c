import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SSH_PORT } from '../../../storage/sftp/sftp-config.ts';
import { fingerprintOf } from '../../../storage/sftp/fingerprint.ts';
import { requireUserHome } from '../../../base/files/user-home.ts';

/**
 * Returns whether ssh knows a host by a key (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). Keys that are marked, such as revoked ones,
 * patterns and negations count as unknown.
 *
 * @param text content of `known_hosts`
 */
export function isKnownHost(text: string, host: string, port: number, fingerprint: string): boolean {
  const name = port === SSH_PORT ? host : `[${host}]:${port}`;
  return text.split('\n').some((line) => {
    const [hosts = '', , key = ''] = line.trim().split(/\s+/);
    const isNamed = hosts.startsWith('|') ? isHashOf(hosts, name) : hosts.split(',').includes(name);
    return isNamed && fingerprintOf(Buffer.from(key, 'base64')) === fingerprint;
  });
}

/** Returns the hosts that ssh knows on this computer; an empty text if there are none. */
export function knownHosts(): string {
  try {
    return readFileSync(join(requireUserHome(), '.ssh', 'known_hosts'), 'utf8');
  } catch {
    return '';
  }
}

function isHashOf(field: string, name: string): boolean {
  const [, kind, salt = '', hash] = field.split('|');
  return kind === '1' && createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}
