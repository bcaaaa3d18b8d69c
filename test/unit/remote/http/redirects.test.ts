import { expect, test } from 'vitest';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../../src/remote/http/http-client.ts';
import { requestFollowing } from '../../../../src/remote/http/redirects.ts';

/** A client whose answers are scripted by address; others are 200. */
function scripted(answers: Readonly<Record<string, readonly [status: number, location?: string | undefined]>>) {
  const requests: HttpRequest[] = [];
  let unread = 0;
  const http: HttpClient = {
    request: (request) => {
      requests.push(request);
      unread += 1;
      const [status, location] = answers[request.url] ?? [200];
      const response: HttpResponse = {
        status,
        headers: { location },
        body: (async function* () {})(),
        bytes: () => Promise.resolve(new Uint8Array()),
        discard: () => Promise.resolve(void (unread -= 1)),
      };
      return Promise.resolve(response);
    },
    close: () => Promise.resolve(),
  };
  return { http, requests, unread: () => unread };
}

const GET = { method: 'GET', url: 'https://a.test/x?secret=1' } as const;

test.each([
  [301, 'https://b.test/y'],
  [302, '/y'],
  [303, '//b.test/y'],
  [307, 'y?z'],
  [308, 'https://a.test/y'],
])('a GET with %i is sent on to %s', async (status, location) => {
  const { http, requests, unread } = scripted({ [GET.url]: [status, location] });
  expect((await requestFollowing(http, GET)).status).toBe(200);
  expect(requests.map(({ url }) => url)).toEqual([GET.url, new URL(location, GET.url).href]);
  // The answer is the caller's.
  expect(unread()).toBe(1);
});

test('a PUT is sent on with its body and its headers, except by 303', async () => {
  const put = { ...GET, method: 'PUT', body: 'blob', headers: { 'content-type': 'x' } } as const;
  const { http, requests } = scripted({ [GET.url]: [307, 'https://b.test/y'] });
  await requestFollowing(http, put);
  expect(requests[1]).toEqual({ ...put, url: 'https://b.test/y' });
  const other = scripted({ [GET.url]: [303, 'https://b.test/y'] });
  expect((await requestFollowing(other.http, put)).status).toBe(303);
});

test('a request of another kind is not sent on', async () => {
  const { http, requests } = scripted({ [GET.url]: [302, 'https://b.test/y'] });
  expect((await requestFollowing(http, { ...GET, method: 'POST' })).status).toBe(302);
  expect(requests).toHaveLength(1);
});

test.each([
  ['no address', undefined],
  ['none that can be read', 'https://['],
  ['a file', 'file:///etc/passwd'],
  ['data', 'data:text/plain,x'],
  ['an address without encryption', 'http://a.test/y'],
  ['an address with a password', 'https://a:b@b.test/y'],
])('is refused if it leads to %s, without the secrets of the address', async (_, location) => {
  const { http, requests } = scripted({ [GET.url]: [302, location] });
  const error: unknown = await requestFollowing(http, GET).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'service_error', details: { reason: 'redirect', address: 'https://a.test' } });
  expect(String(error)).not.toContain('secret');
  expect(requests).toHaveLength(1);
});

test('from an address without encryption leads to any web address', async () => {
  const url = 'http://a.test/x';
  const { http, requests } = scripted({ [url]: [302, 'http://b.test/y'], 'http://b.test/y': [302, 'https://c.test/'] });
  await requestFollowing(http, { ...GET, url });
  expect(requests).toHaveLength(3);
});

test('is given up after five', async () => {
  const { http, requests } = scripted({ [GET.url]: [302, GET.url] });
  await expect(requestFollowing(http, GET)).rejects.toMatchObject({ code: 'service_error' });
  expect(requests).toHaveLength(6);
});
