import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSigningSecret, signBody } from '../../../../src/service/webhooks/signature.ts';

describe('signBody', () => {
  test('returns the digest of RFC 4231, test case 2', () => {
    expect(signBody('Jefe', Buffer.from('what do ya want for nothing?'))).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  test('agrees with openssl', () => {
    const texts = ['', '{"event":"backup.completed"}', 'Grüße, 世界 🎉\n', 'x'.repeat(70_000)];
    for (const text of texts) {
      const secret = createSigningSecret();
      const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], { input: text });
      expect(signBody(secret, Buffer.from(text, 'utf8'))).toBe(`sha256=${openssl.toString('latin1').slice(0, 64)}`);
    }
  });

  test('changes with any byte of the body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (body, at, flip) => {
        const changed = Uint8Array.from(body);
        const index = at % body.length;
        changed[index] = (body[index] as number) ^ flip;
        expect(signBody('secret', changed)).not.toBe(signBody('secret', body));
      }),
    );
  });
});

describe('createSigningSecret', () => {
  test('is new each time and has 256 bits', () => {
    const secrets = Array.from({ length: 100 }, createSigningSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[\w-]{43}$/);
  });
});
