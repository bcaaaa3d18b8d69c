import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isKnownHost } from '../../../../../src/agent/destination/store/known-hosts.ts';
import { fingerprintOf } from '../../../../../src/storage/sftp/fingerprint.ts';

const KEY = Buffer.from('the key of a host');
const FINGERPRINT = fingerprintOf(KEY);
const salt = Buffer.alloc(20, 7);
const hashed = (name: string): string =>
  `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
const line = (hosts: string, key = KEY): string => `${hosts} ssh-ed25519 ${key.toString('base64')} comment`;

describe('isKnownHost', () => {
  test.each([
    ['its name', line('nas.local'), 22],
    ['one of its names', `# first\n\n${line('192.0.2.1,nas.local')}\n`, 22],
    ['another port', line('[nas.local]:2222'), 2222],
    ['a hashed name', line(hashed('nas.local')), 22],
    ['a hashed name with a port', line(hashed('[nas.local]:2222')), 2222],
  ])('finds the key by %s', (_, text, port) => {
    expect(isKnownHost(text, 'nas.local', port, FINGERPRINT)).toBe(true);
  });

  test.each([
    ['no line', ''],
    ['another host', line('nas')],
    ['another port', line('[nas.local]:2222')],
    ['another key', line('nas.local', Buffer.from('other'))],
    ['a revoked key', `@revoked ${line('nas.local')}`],
    ['a key without a host', KEY.toString('base64')],
    ['an unknown hash', line(hashed('nas.local').replace('|1|', '|2|'))],
  ])('refuses %s', (_, text) => {
    expect(isKnownHost(text, 'nas.local', 22, FINGERPRINT)).toBe(false);
  });
});
