import { createCipheriv, randomBytes } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { looksEncrypted } from '../../../../src/archive/chunk/encryption-probe.ts';

const TEXT = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(400));

function encrypted(plaintext: Uint8Array): Buffer {
  return createCipheriv('aes-256-ctr', Buffer.alloc(32, 7), Buffer.alloc(16, 3)).update(plaintext);
}

test.each([
  ['what was encrypted', encrypted(TEXT), true],
  ['a small file that was encrypted', encrypted(TEXT.subarray(0, 600)), true],
  ['what was encrypted behind a header', Buffer.concat([Buffer.from('WANACRY!'.repeat(40)), encrypted(TEXT)]), true],
  ['a text', TEXT, false],
  ['zeros', Buffer.alloc(10_000), false],
  ['base64', Buffer.from(encrypted(TEXT).toString('base64')), false],
  ['what is too small to tell', encrypted(TEXT.subarray(0, 500)), false],
  ['nothing', Buffer.alloc(0), false],
  ['gzip', gzipSync(encrypted(TEXT)), false],
  ['an object of Git', deflateSync(encrypted(TEXT)), false],
  ['a picture', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), encrypted(TEXT)]), false],
  ['a film', Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42', 'latin1'), encrypted(TEXT)]), false],
] as const)('%s', (_, beginning, expected) => {
  expect(looksEncrypted(beginning)).toBe(expected);
});

test('small random samples do not count as encrypted', () => {
  const files = Array.from({ length: 2_000 }, () => randomBytes(4_700));
  expect(files.filter((file) => looksEncrypted(file)).length).toBeGreaterThan(1_995);
});
