import { expect, test } from 'vitest';
import { HandlerHttp } from '../../../helpers/service/handler-http.ts';

const url = 'http://in-process.test/path?query=1';

test('passes requests and responses like the network', async () => {
  const http = new HandlerHttp(async (request) => {
    const seen = [request.method, request.url, request.headers.get('x-own'), await request.text()];
    return Response.json(seen, { status: 201, headers: { 'Accept-Encoding': 'gzip', 'X-Answer': 'yes' } });
  });
  async function* body(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('in '));
    yield Buffer.from('pieces');
  }
  const response = await http.request({ method: 'POST', url, headers: { 'X-Own': 'a' }, body });
  expect(response.status).toBe(201);
  expect(response.headers['x-answer']).toBe('yes');
  // Compression is useless within a process.
  expect(response.headers['accept-encoding']).toBeUndefined();
  expect(JSON.parse(Buffer.from(await response.bytes()).toString())).toEqual(['POST', url, 'a', 'in pieces']);
});

test.each([
  [
    'gives up on it',
    async (request: Request) => {
      await request.text().catch(() => undefined);
      throw new Error('of the handler');
    },
  ],
  [
    'answers all the same',
    (request: Request) =>
      request
        .text()
        .then(String, () => 'x')
        .then(() => new Response(null, { status: 400 })),
  ],
])("passes on an error of the body's producer unchanged when the handler %s", async (_, handle) => {
  const mistake = new Error('catalog');
  async function* body(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(10));
    throw mistake;
  }
  await expect(new HandlerHttp(handle).request({ method: 'POST', url, body })).rejects.toBe(mistake);
});

test("rejects with the abort's reason while the handler is running", async () => {
  const abort = new AbortController();
  const reason = new Error('stop');
  const http = new HandlerHttp(() => {
    abort.abort(reason);
    return Promise.resolve(new Response('late'));
  });
  await expect(http.request({ method: 'GET', url, signal: abort.signal })).rejects.toBe(reason);
});
