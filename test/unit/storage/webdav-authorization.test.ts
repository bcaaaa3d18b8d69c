import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { authorizeFor } from '../../../src/storage/webdav/authorization.ts';

const credentials = { user: 'Mufasa', password: 'Circle of Life' };

function fieldsOf(header: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from(header.matchAll(/(\w+)=(?:"([^"]*)"|([^,\s]*))/g), ([, name, quoted, plain]) => [name, quoted ?? plain]),
  );
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

describe('authorization', () => {
  test('answers Basic', () => {
    // RFC 7617, section 2.
    const authorize = authorizeFor('Basic realm="WallyWorld"', { user: 'Aladdin', password: 'open sesame' });
    expect(authorize?.('GET', '/')).toBe('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==');
  });

  test('answers Digest without a quality of protection as RFC 2069 does', () => {
    // RFC 2069, section 2.4, with its erratum 749.
    const header =
      'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';
    const fields = fieldsOf(
      authorizeFor(header, { user: 'Mufasa', password: 'CircleOfLife' })!('GET', '/dir/index.html'),
    );
    expect(fields['response']).toBe('1949323746fe6a43ef61f9606e7febea');
    expect(fields['opaque']).toBe('5ccc069c403ebaf9f0171e9517f40e41');
  });

  test.each([
    ['MD5', 'md5'],
    ['SHA-256', 'sha256'],
  ])('answers Digest with %s, counting its requests', (algorithm, name) => {
    const hash = (text: string) => createHash(name).update(text).digest('hex');
    const authorize = authorizeFor(
      `Digest realm="r", nonce="n", qop="auth-int, auth", algorithm=${algorithm}`,
      credentials,
    )!;
    for (const count of ['00000001', '00000002']) {
      const fields = fieldsOf(authorize('PUT', '/a?b'));
      const expected = [hash('Mufasa:r:Circle of Life'), 'n', count, fields['cnonce'], 'auth', hash('PUT:/a?b')].join(
        ':',
      );
      expect(fields).toMatchObject({ nc: count, qop: 'auth', uri: '/a?b', algorithm, response: hash(expected) });
    }
  });

  test('binds the secret to the session with MD5-sess', () => {
    const fields = fieldsOf(
      authorizeFor('Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess', credentials)!('GET', '/'),
    );
    const secret = md5(`${md5('Mufasa:r:Circle of Life')}:n:${fields['cnonce']}`);
    expect(fields['response']).toBe(md5(`${secret}:n:00000001:${fields['cnonce']}:auth:${md5('GET:/')}`));
  });

  test('prefers Digest in one header with Basic', () => {
    const header =
      'Basic realm="a, b", Digest realm="r", nonce="n", algorithm=SHA-512-256, Digest realm="s", nonce="m"';
    expect(fieldsOf(authorizeFor(header, credentials)!('GET', '/'))['realm']).toBe('s');
  });

  test.each(['Negotiate', 'Bearer realm="a"', 'Digest realm="r", nonce="n", qop="auth-int"', ''])(
    'does not answer %j',
    (header) => {
      expect(authorizeFor(header, credentials)).toBeUndefined();
    },
  );
});
