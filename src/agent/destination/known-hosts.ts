import { createHmac } from 'node:crypto';
import { fingerprintOf } from '../../repository/storage/sftp/fingerprint.ts';

/**
 * Returns whether ssh knows a host by a key (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). Keys that are marked, such as revoked ones,
 * patterns and negations count as unknown.
 *
 * @param text content of `known_hosts`
 */
export function isKnownHost(text: string, host: string, port: number, fingerprint: string): boolean {
  const name = port === 22 ? host : `[${host}]:${port}`;
  return text.split('\n').some((line) => {
    const [hosts = '', , key = ''] = line.trim().split(/\s+/);
    const isNamed = hosts.startsWith('|') ? isHashOf(hosts, name) : hosts.split(',').includes(name);
    return isNamed && fingerprintOf(Buffer.from(key, 'base64')) === fingerprint;
  });
}

function isHashOf(field: string, name: string): boolean {
  const [, kind, salt = '', hash] = field.split('|');
  return kind === '1' && createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}
