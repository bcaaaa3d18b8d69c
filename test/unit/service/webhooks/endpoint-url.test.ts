import { describe, expect, test } from 'vitest';
import { parseEndpointUrl } from '../../../../src/service/webhooks/endpoint-url.ts';

describe('parseEndpointUrl', () => {
  test.each([
    ['https://example.com/hook', 'https://example.com/hook'],
    ['http://example.com:8080/hook?tenant=1', 'http://example.com:8080/hook?tenant=1'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['http://127.0.0.1:9/x', 'http://127.0.0.1:9/x'],
  ])('takes %s', (text, href) => {
    expect(parseEndpointUrl(text)).toMatchObject({ kind: 'valid', url: { href } });
  });

  test.each([
    '',
    'example.com/hook',
    '/hook',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'gopher://example.com/',
    'unix:/run/x.sock',
    'https://',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://:password@example.com/',
    'https://example.com@127.0.0.1/',
    'https://example.com/#part',
    'http://[::1%25lo]/',
    'http://256.256.256.256/',
    'http://1.2.3.4.5/',
    'http://exa mple.com/',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('refuses %j', (text) => {
    expect(parseEndpointUrl(text)).toMatchObject({ kind: 'invalid', reason: expect.any(String) });
  });

  test.each([
    ['decimal', 'http://2130706433/'],
    ['hexadecimal', 'http://0x7f000001/'],
    ['hexadecimal by parts', 'http://0x7f.0x0.0x0.0x1/'],
    ['octal', 'http://0177.0.0.1/'],
    ['octal as a whole', 'http://017700000001/'],
    ['short', 'http://127.1/'],
    ['with a trailing dot', 'http://127.0.0.1./'],
    ['in full-width digits', 'http://１２７.０.０.１/'],
    ['in circled digits', 'http://①②⑦.⓪.⓪.①/'],
    ['with ideographic dots', 'http://127。0。0。1/'],
    ['percent-encoded', 'http://%31%32%37.0.0.1/'],
    ['behind a backslash', 'http:\\\\127.0.0.1\\'],
  ])('sees 127.0.0.1 written %s', (_name, text) => {
    expect(parseEndpointUrl(text)).toMatchObject({ kind: 'valid', url: { hostname: '127.0.0.1' } });
  });
});
