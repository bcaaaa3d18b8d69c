import { execFileSync } from 'node:child_process';
import { isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../../src/service/webhooks/public-address.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
];

const NOT_PUBLIC = {
  'unspecified 4': '0.0.0.0',
  'this network': '0.1.2.3',
  'loopback 4': '127.0.0.1',
  'loopback, elsewhere in it': '127.255.255.254',
  'private 10': '10.0.0.1',
  'private 172': '172.16.0.1',
  'private 172, its end': '172.31.255.255',
  'private 192': '192.168.1.1',
  'link-local 4': '169.254.1.1',
  'metadata of the clouds': '169.254.169.254',
  'carrier-grade NAT': '100.64.0.1',
  'metadata of Alibaba': '100.100.100.200',
  'protocol assignments, metadata of Oracle': '192.0.0.192',
  'documentation 4': '192.0.2.1',
  '6to4 relay': '192.88.99.1',
  'benchmarking 4': '198.18.0.1',
  'multicast 4': '224.0.0.1',
  'reserved 4': '240.0.0.1',
  broadcast: '255.255.255.255',
  'unspecified 6': '::',
  'loopback 6': '::1',
  'link-local 6': 'fe80::1',
  'link-local 6 with zone': 'fe80::1%lo',
  'site-local': 'fec0::1',
  'unique-local': 'fd00::1',
  'metadata of AWS over IPv6': 'fd00:ec2::254',
  'multicast 6': 'ff02::1',
  'IPv4-mapped, private': '::ffff:10.0.0.1',
  'IPv4-mapped, hexadecimal': '::ffff:7f00:1',
  'IPv4-mapped, public': '::ffff:8.8.8.8',
  'IPv4-compatible': '::127.0.0.1',
  'IPv4-translated': '::ffff:0:127.0.0.1',
  NAT64: '64:ff9b::a9fe:a9fe',
  'NAT64 of the local network': '64:ff9b:1::a00:1',
  '6to4': '2002:7f00:1::1',
  Teredo: '2001::1',
  'documentation 6': '2001:db8::1',
  'documentation 6, the newer': '3fff::1',
  'benchmarking 6': '2001:2::1',
  ORCHID: '2001:20::1',
  'segment routing': '5f00::1',
  discard: '100::1',
  'never handed out': '4000::1',
  'no address': 'localhost',
  decimal: '2130706433',
  octal: '0177.0.0.1',
  short: '127.1',
  'with a port': '8.8.8.8:80',
  'in brackets': '[2606:4700:4700::1111]',
  nothing: '',
};

describe('isPublicAddress', () => {
  test.each(PUBLIC)('takes %s', (address) => expect(isPublicAddress(address)).toBe(true));
  test.each(Object.entries(NOT_PUBLIC))('refuses %s', (_name, address) => expect(isPublicAddress(address)).toBe(false));

  test('considers no address public that Python does not consider global', () => {
    const edges = [...PUBLIC, ...Object.values(NOT_PUBLIC).filter((address) => isIP(address) !== 0)];
    const addresses = [...fc.sample(fc.oneof(fc.ipV4(), fc.ipV6()), 5000), ...aroundSpecialRanges(), ...edges];
    const global = globalByPython(addresses);
    const wrong = addresses.filter((address, index) => isPublicAddress(address) && global[index] !== true);
    expect(wrong).toEqual([]);
    expect(addresses.filter(isPublicAddress).length).toBeGreaterThan(1000);
  });
});

/** Addresses around the borders of every /8, which random addresses rarely hit. */
function aroundSpecialRanges(): string[] {
  const seconds = [0, 1, 15, 16, 31, 32, 63, 64, 88, 127, 128, 168, 254, 255];
  return Array.from({ length: 256 }, (_, first) => seconds.map((second) => `${first}.${second}.0.9`)).flat();
}

function globalByPython(addresses: readonly string[]): boolean[] {
  const program = `
import ipaddress, json, sys
def judge(text):
    address = ipaddress.ip_address(text)
    return address.is_global and not address.is_multicast
print(json.dumps([judge(text) for text in json.load(sys.stdin)]))`;
  const input = JSON.stringify(addresses);
  return JSON.parse(execFileSync('python3', ['-c', program], { input, encoding: 'utf8' })) as boolean[];
}
