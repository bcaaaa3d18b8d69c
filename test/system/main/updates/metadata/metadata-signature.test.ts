import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSigned } from '../../../../../src/main/updates/metadata/metadata-signature.ts';

const HAS_OPENSSL = spawnSync('which', ['openssl']).status === 0;

describe.skipIf(!HAS_OPENSSL)('a signature of OpenSSL', () => {
  const metadata = Buffer.from('version: 1.2.3\n');
  let folder: string;
  const openssl = (...words: readonly string[]): Buffer =>
    execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const keyOf = (name: string): string =>
    openssl('pkey', '-in', `${name}.pem`, '-pubout', '-outform', 'DER').toString('base64');
  const signatureBy = (name: string): Buffer => {
    openssl('pkeyutl', '-sign', '-rawin', '-inkey', `${name}.pem`, '-in', 'latest.yml', '-out', 'latest.yml.sig');
    return readFileSync(join(folder, 'latest.yml.sig'));
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-signature-'));
    writeFileSync(join(folder, 'latest.yml'), metadata);
    for (const name of ['ours', 'other']) openssl('genpkey', '-algorithm', 'ed25519', '-out', `${name}.pem`);
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', 'curve.pem');
    openssl('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:512', '-out', 'weak.pem');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is accepted from any of the keys', () => {
    expect(isSigned(metadata, signatureBy('ours'), [keyOf('ours')])).toBe(true);
    expect(isSigned(metadata, signatureBy('ours'), [keyOf('other'), keyOf('ours')])).toBe(true);
  });

  test('is refused for another key, other bytes, another length and without keys', () => {
    const signature = signatureBy('ours');
    expect(isSigned(metadata, signature, [keyOf('other')])).toBe(false);
    expect(isSigned(Buffer.from('version: 1.2.4\n'), signature, [keyOf('ours')])).toBe(false);
    expect(isSigned(metadata, signature.subarray(0, 63), [keyOf('ours')])).toBe(false);
    expect(isSigned(metadata, Buffer.concat([signature, Buffer.of(0)]), [keyOf('ours')])).toBe(false);
    expect(isSigned(metadata, Buffer.alloc(64), [keyOf('ours')])).toBe(false);
    expect(isSigned(metadata, signature, [])).toBe(false);
  });

  test('is refused from a key of another kind, and a key that is none is ignored', () => {
    const signature = openssl('dgst', '-sha256', '-sign', 'curve.pem', 'latest.yml').subarray(0, 64);
    expect(isSigned(metadata, signature, [keyOf('curve')])).toBe(false);
    // Its signatures have the length of those of Ed25519, and it can be broken.
    const weak = openssl('dgst', '-sha256', '-sign', 'weak.pem', 'latest.yml');
    expect([weak.length, isSigned(metadata, weak, [keyOf('weak')])]).toEqual([64, false]);
    expect(isSigned(metadata, signatureBy('ours'), ['no key', keyOf('ours')])).toBe(true);
  });
});
