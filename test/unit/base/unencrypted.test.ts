import { expect, test } from 'vitest';
import { isUnencrypted } from '../../../src/base/unencrypted.ts';

test.each([
  ['http://backup.example.org', true],
  [' HTTP://192.168.1.10:8080/x ', true],
  ['http://localhost.example.org', true],
  ['http://127.example', true],
  // Only browsers look such names up themselves.
  ['http://nas.localhost', true],
  ['https://backup.example.org', false],
  ['backup.example.org', false],
  ['http://localhost:8080', false],
  ['http://127.0.0.1', false],
  ['http://[::1]:1', false],
  ['s3://bucket', false],
  ['/media/disk', false],
  ['http://', false],
])('traffic to %s can be read on a network: %s', (address, expected) => {
  expect(isUnencrypted(address)).toBe(expected);
});
