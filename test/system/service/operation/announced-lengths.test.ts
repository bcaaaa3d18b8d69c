import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runServer } from './running-server.ts';

/** Sends the head of a request, and no body. Returns the status of the answer. */
async function statusOf(url: string, lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write([...lines, `host: ${hostname}`, '', ''].join('\r\n'));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))![1]);
}

test.each([
  ['PUT /healthz', [], 413],
  ['GET /healthz', [], 413],
  ['GET /openapi.json', [], 413],
  ['HEAD /', [], 413],
  ['POST /auth/v1/token?grant_type=password', [], 413],
  ['DELETE /rest/v1/devices/dev_1', [], 401],
  ['PUT /openapi.json', [], 405],
  ['PUT /nowhere', [], 404],
  ['POST /functions/v1/backup/init', [], 401],
] as const)('%s with a huge length is answered before a body arrives', async (request, _, expected) => {
  const { server } = await runServer();
  const head = [`${request} HTTP/1.1`, 'content-length: 1000000000000', 'content-type: application/json'];
  expect(await statusOf(server.url, head)).toBe(expected);
});

test('a GET with a body of unknown length is rejected', async () => {
  const { server } = await runServer();
  expect(await statusOf(server.url, ['GET /openapi.json HTTP/1.1', 'transfer-encoding: chunked'])).toBe(413);
});

test('a token and a huge length are rejected before the body', async () => {
  const { server, signIn } = await runServer();
  const head = [
    'POST /functions/v1/backup/presign HTTP/1.1',
    'content-length: 1000000000000',
    `authorization: Bearer ${await signIn()}`,
  ];
  expect(await statusOf(server.url, head)).toBe(413);
});
