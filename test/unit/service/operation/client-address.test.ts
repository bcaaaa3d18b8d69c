import { describe, expect, test } from 'vitest';
import {
  clientAddress,
  isLoopback,
  limitedNetwork,
  parseRange,
} from '../../../../src/service/request/client-address.ts';

describe('client address', () => {
  const cases: readonly (readonly [
    name: string,
    peer: string | undefined,
    forwarded: string | null,
    trusted: readonly string[],
    client: string | undefined,
  ])[] = [
    ['nobody in between', '203.0.113.9', null, [], '203.0.113.9'],
    ['a header from somebody who is not trusted', '203.0.113.9', '198.51.100.1', ['10.0.0.0/8'], '203.0.113.9'],
    ['a trusted proxy', '10.0.0.2', '203.0.113.9', ['10.0.0.0/8'], '203.0.113.9'],
    ['what the client wrote before the proxy', '10.0.0.2', '1.1.1.1, 203.0.113.9', ['10.0.0.0/8'], '203.0.113.9'],
    ['two trusted proxies', '10.0.0.2', '203.0.113.9, 10.0.0.1', ['10.0.0.0/8'], '203.0.113.9'],
    ['a trusted proxy that says nothing', '10.0.0.2', null, ['10.0.0.2'], '10.0.0.2'],
    ['nonsense', '10.0.0.2', 'unknown', ['10.0.0.2'], '10.0.0.2'],
    ['nonsense before an address', '10.0.0.2', 'x, 203.0.113.9', ['10.0.0.2'], '203.0.113.9'],
    ['IPv4 as IPv6', '::ffff:10.0.0.2', '203.0.113.9', ['10.0.0.0/8'], '203.0.113.9'],
    ['IPv6', '2001:db8::1', '2001:db8:1::5', ['2001:db8::1/128'], '2001:db8:1::5'],
    ['no socket', undefined, '203.0.113.9', ['0.0.0.0/0'], undefined],
  ];
  test.each(cases)('%s', (_name, peer, forwarded, trusted, client) => {
    expect(clientAddress(peer, forwarded, trusted.map(parseRange))).toBe(client);
  });

  test('limits IPv6 by network and IPv4 by address', () => {
    expect(limitedNetwork('2001:db8:1:2:3:4:5:6')).toBe(limitedNetwork('2001:db8:1:2::9'));
    expect(limitedNetwork('2001:db8:1:2::9')).not.toBe(limitedNetwork('2001:db8:1:3::9'));
    expect(limitedNetwork('203.0.113.9')).toBe('203.0.113.9');
  });

  test.each([
    ['127.0.0.1', true],
    ['127.5.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.1', false],
    [undefined, false],
  ])('%s is of this computer: %s', (address, local) => expect(isLoopback(address)).toBe(local));

  test.each(['', 'x', '10.0.0.0/33', '10.0.0'])('%j is not a range', (text) => {
    expect(() => parseRange(text)).toThrow(/./);
  });
});
