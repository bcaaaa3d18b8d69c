import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fetchServiceFeatures } from '../../../../src/remote/client/capabilities.ts';
import { HttpFailure } from '../../../../src/remote/http/http-failure.ts';
import { BodyTooLarge } from '../../../../src/remote/http/http-body.ts';
import { UndiciHttp } from '../../../../src/remote/http/undici-http.ts';
import { connectTo } from '../../../unit/remote/connections.ts';
import { InstantClock } from '../../../unit/remote/instant-clock.ts';

const MIB = 2 ** 20;

function client(environment: Record<string, string> = {}): UndiciHttp {
  const http = new UndiciHttp(environment);
  onTestFinished(() => http.close());
  return http;
}

async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serving(listener: RequestListener): Promise<string> {
  return addressOf(createServer(listener));
}

test('sends a request and reads its response', async () => {
  const url = await serving((request, response) => {
    const { method, url: path, headers } = request;
    response.setHeader('X-Seen', JSON.stringify([method, path, headers['x-own'], headers.authorization ?? null]));
    response.statusCode = 418;
    request.pipe(response);
  });
  const response = await client().request({
    method: 'PUT',
    url: `${url}/a/b?c=d`,
    headers: { 'X-Own': 'yes' },
    body: Buffer.from('body'),
  });

  expect(response.status).toBe(418);
  expect(JSON.parse(response.headers['x-seen']!)).toEqual(['PUT', '/a/b?c=d', 'yes', null]);
  expect(Buffer.from(await response.bytes()).toString()).toBe('body');
});

test('streams a body produced in pieces, and keeps the connection', async () => {
  const ports = new Set<number | undefined>();
  const url = await serving((request, response) => {
    ports.add(request.socket.remotePort);
    void request.toArray().then((parts: Buffer[]) => response.end(String(Buffer.concat(parts).length)));
  });
  const http = client();
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < 20; index += 1) yield await Promise.resolve(new Uint8Array(65_536));
  }
  for (let turn = 0; turn < 10; turn += 1) {
    const response = await http.request({ method: 'POST', url, body });
    expect(Buffer.from(await response.bytes()).toString()).toBe(String(20 * 65_536));
  }
  expect(ports.size).toBeLessThan(4);
});

test('does not follow redirects', async () => {
  const url = await serving((_, response) => response.writeHead(302, { Location: 'http://elsewhere.invalid/' }).end());
  const response = await client().request({ method: 'GET', url });
  await response.discard();
  expect(response.status).toBe(302);
});

test("rejects with the body producer's own error", async () => {
  const url = await serving((request, response) => void request.resume().on('end', () => response.end()));
  // The same code as of a network error.
  const mistake = Object.assign(new Error('catalog'), { code: 'ECONNRESET' });
  async function* body(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new Uint8Array(10));
    throw mistake;
  }
  await expect(client().request({ method: 'POST', url, body })).rejects.toBe(mistake);
});

test('rejects a body that exceeds the limit', async () => {
  const url = await serving((_, response) => response.end(Buffer.alloc(5000)));
  const response = await client().request({ method: 'GET', url });
  await expect(response.bytes(4999)).rejects.toBeInstanceOf(BodyTooLarge);
});

async function failureOf(request: Promise<unknown>): Promise<HttpFailure> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HttpFailure);
  return error as HttpFailure;
}

test('reports a refused connection', async () => {
  const server = createTcpServer();
  const url = await addressOf(server);
  server.close();
  await once(server, 'close');
  const failure = await failureOf(client().request({ method: 'GET', url: `${url}/path?secret=1` }));
  expect([failure.kind, failure.connected, failure.origin]).toEqual(['refused', false, url]);
  expect(failure.message).not.toContain('secret');
});

test('reports an unknown host name', async () => {
  const failure = await failureOf(client().request({ method: 'GET', url: 'http://holdfast.invalid/' }));
  expect([failure.kind, failure.connected]).toEqual(['dns', false]);
});

test('reports a connection reset before the response', async () => {
  const url = await serving((request) => request.socket.resetAndDestroy());
  const failure = await failureOf(client().request({ method: 'GET', url }));
  expect([failure.kind, failure.connected]).toEqual(['reset', true]);
});

test('reports a connection that ends within the response', async () => {
  const url = await serving((_, response) => {
    response.setHeader('Content-Length', 1000);
    response.write(Buffer.alloc(10), () => response.destroy());
  });
  const response = await client().request({ method: 'GET', url });
  const failure = await failureOf(response.bytes());
  expect([failure.kind, failure.connected]).toEqual(['reset', true]);
});

test('times out when the server never responds', async () => {
  const url = await serving((request) => void request.resume());
  const failure = await failureOf(client().request({ method: 'GET', url, stallTimeoutMs: 50 }));
  expect([failure.kind, failure.connected]).toEqual(['timeout', true]);
});

test('times out when the server stalls within its response', async () => {
  const url = await serving((_, response) => void response.write('half'));
  const response = await client().request({ method: 'GET', url, stallTimeoutMs: 50 });
  expect((await failureOf(response.bytes())).kind).toBe('timeout');
});

test('reports a server without TLS', async () => {
  const url = await serving((_, response) => response.end());
  const failure = await failureOf(client().request({ method: 'GET', url: url.replace('http:', 'https:') }));
  expect(failure.kind).toBe('tls');
});

test('reports an invalid certificate as an error that is not retried', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-certificate-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const request = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', request, { stdio: 'ignore' });
  const options = { key: await readFile(key), cert: await readFile(cert) };
  const server = createTlsServer(options, (_, response) => response.end());
  const url = (await addressOf(server)).replace('http:', 'https:');
  expect((await failureOf(client().request({ method: 'GET', url }))).kind).toBe('certificate');

  const clock = new InstantClock();
  await expect(fetchServiceFeatures(connectTo(url, { clock }).calls)).rejects.toMatchObject({
    code: 'service_unreachable',
    retryable: false,
    details: { address: url, reason: 'certificate' },
  });
  expect(clock.slept).toEqual([]);
});

test("rejects with the abort's reason, before and within the response", async () => {
  const url = await serving((request, response) => {
    if (request.url === '/body') response.write('half');
  });
  for (const path of ['/', '/body']) {
    const abort = new AbortController();
    const reason = new Error('stop');
    const request = client()
      .request({ method: 'GET', url: url + path, signal: abort.signal })
      .then((response) => {
        setImmediate(() => abort.abort(reason));
        return response.bytes();
      });
    if (path === '/') setImmediate(() => abort.abort(reason));
    await expect(request).rejects.toBe(reason);
  }
});

test("uses the environment's proxy except for the loopback", async () => {
  const seen: string[] = [];
  const proxy = await serving((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('through the proxy');
  });
  const direct = await serving((_, response) => response.end('direct'));
  const http = client({ HTTP_PROXY: proxy });
  const text = async (url: string): Promise<string> => {
    const response = await http.request({ method: 'GET', url });
    return Buffer.from(await response.bytes()).toString();
  };
  // The proxy gets a plain request, or a CONNECT, which this one refuses.
  await text('http://service.invalid/path').catch(() => undefined);
  expect(seen).toHaveLength(1);
  expect(await text(direct)).toBe('direct');
  expect(seen).toHaveLength(1);
});

test('does not time out on a slow connection', async () => {
  const url = await serving((request, response) => void takeSlowly(request).then((bytes) => response.end(`${bytes}`)));
  const response = await client().request({ method: 'PUT', url, body: Buffer.alloc(32 * MIB), stallTimeoutMs: 5000 });
  expect(Buffer.from(await response.bytes()).toString()).toBe(`${32 * MIB}`);
});

/** Takes 8 seconds. The system's buffers accept the end of the body at once. */
async function takeSlowly(body: AsyncIterable<Buffer>): Promise<number> {
  let taken = 0;
  for await (const part of body) {
    taken += part.length;
    if (taken < 16 * MIB) await setTimeout(32);
  }
  return taken;
}

test('does not count the time to produce a body as a stall', async () => {
  const url = await serving((request, response) => void buffer(request).then((body) => response.end(body)));
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('first, ');
    await setTimeout(3000);
    yield Buffer.from('second');
  }
  const headers = { 'content-length': '13' };
  const response = await client().request({ method: 'PUT', url, headers, body, stallTimeoutMs: 1500 });
  expect(Buffer.from(await response.bytes()).toString()).toBe('first, second');
});

test('times out when the server reads nothing of a large body', async () => {
  const server = createTcpServer((socket) => void socket.pause());
  const url = await addressOf(server);
  const failure = client().request({ method: 'PUT', url, body: Buffer.alloc(64 * 1024 * 1024), stallTimeoutMs: 300 });
  await expect(failure).rejects.toMatchObject({ kind: 'timeout', connected: true, origin: url });
});

test('times out when the server reads a large body but never responds', async () => {
  const server = createTcpServer((socket) => void socket.resume());
  const url = await addressOf(server);
  const failure = client().request({ method: 'PUT', url, body: Buffer.alloc(1024 * 1024), stallTimeoutMs: 300 });
  await expect(failure).rejects.toMatchObject({ kind: 'timeout', connected: true, origin: url });
});
