import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseRange } from '../../../../src/service/request/client-address.ts';
import { chunk, file, manifestEntry, STATS } from '../../../unit/service/harness.ts';
import { runServer } from './running-server.ts';

const CAPABILITIES = '/functions/v1/capabilities';

describe('a running service', () => {
  test('gives every request an id, generated or the client’s', async () => {
    const { call } = await runServer();
    const own = await call('GET', CAPABILITIES);
    expect(own.headers['x-request-id']).toMatch(/^req_[\w-]{22}$/);
    const given = await call('GET', CAPABILITIES, undefined, { 'x-request-id': 'client-4711:a' });
    expect(given.headers['x-request-id']).toBe('client-4711:a');
    for (const bad of ['short', 'a'.repeat(65), 'with space in it', '{"json": "yes"}']) {
      const refused = await call('GET', CAPABILITIES, undefined, { 'x-request-id': bad });
      expect(refused.headers['x-request-id']).toMatch(/^req_/);
    }
    expect((await call('GET', '/nowhere')).headers['x-request-id']).toMatch(/^req_/);
  });

  test('logs the route pattern without values', async () => {
    const { data, device, call, signIn, server, logged, logText } = await runServer();
    const token = await signIn();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const files = [file('/home/anna/secret-plans/diary.txt', [chunk('dear diary'), chunk(300_000)])];
    const post = (path: string, body: object) => call('POST', path, JSON.stringify(body), headers);
    const set = 'annas-private-set';
    const manifest = { device_id: device.deviceId, backup_set: set, files: files.map(manifestEntry) };
    const init = await post('/functions/v1/backup/init', manifest);
    const urls: string[] = [];
    for (const { hash, blob } of files[0]!.chunks) {
      const request = { session_id: init.json.session_id, chunk_hash: hash, chunk_size: blob.length };
      const presigned = await post('/functions/v1/backup/presign', request);
      urls.push(presigned.json.upload_url as string);
      expect((await call('PUT', urls.at(-1)!, blob, presigned.json.headers as object)).status).toBe(200);
    }
    const done = await post('/functions/v1/backup/complete', { session_id: init.json.session_id, stats: STATS });
    expect(done.status).toBe(200);
    expect((await call('GET', `/secret-plans?token=${token}`)).status).toBe(404);
    expect(
      (await call('GET', '/rest/v1/devices', undefined, { authorization: 'Bearer wrong.token.here' })).status,
    ).toBe(401);
    await server.close();

    const requests = logged().filter((line) => line['msg'] === 'request');
    expect(requests).toContainEqual(
      expect.objectContaining({
        level: 'info',
        method: 'POST',
        route: '/functions/v1/backup/complete',
        status: 200,
        request_id: done.headers['x-request-id'],
        account: expect.stringMatching(/^acc_/),
        milliseconds: expect.any(Number),
      }),
    );
    expect(requests).toContainEqual(expect.objectContaining({ route: 'none', status: 404 }));
    expect(requests).toContainEqual(expect.objectContaining({ status: 401, address: '127.0.0.1' }));
    expect(requests).toContainEqual(
      expect.objectContaining({ level: 'debug', route: '/objects/v1/:account_id/:digest', method: 'PUT' }),
    );
    const secrets = [
      'secret-plans',
      'diary',
      'annas-laptop-name',
      'wrong.token',
      set,
      data,
      token,
      device.deviceKey,
      ...urls.map((url) => new URL(url).searchParams.get('signature')!),
      ...files[0]!.chunks.map(({ hash }) => hash.slice('sha256:'.length)),
    ];
    for (const secret of secrets) expect(logText()).not.toContain(secret);
    const said = logged().map((line) => line['msg']);
    expect(said[0]).toBe('the service is ready');
    expect(said.slice(-1)).toEqual(['the service has closed']);
  });

  test('includes the request id in error responses and logs', async () => {
    const { data, call, signIn, logged, logText } = await runServer();
    const headers = { authorization: `Bearer ${await signIn()}`, 'x-request-id': 'failing-request' };
    const body = JSON.stringify({ device_id: 'x', backup_set: 'y', files: [] });
    await rename(join(data, 'objects'), join(data, 'gone'));
    onTestFinished(() => rename(join(data, 'gone'), join(data, 'objects')));
    const answer = await call('GET', '/readyz');
    expect(answer).toMatchObject({ status: 503, json: { parts: { database: 'ok', objects: 'failed' } } });
    expect(logged()).toContainEqual(expect.objectContaining({ part: 'objects', level: 'error' }));
    expect(logText()).not.toContain(data);
    expect((await call('POST', '/functions/v1/backup/init', body, headers)).headers['x-request-id']).toBe(
      'failing-request',
    );
  });

  test('reports liveness and readiness, and recovers', async () => {
    let now = Date.now();
    const { data, call } = await runServer({ clock: { now: () => now } });
    expect(await call('GET', '/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await call('GET', '/readyz')).toMatchObject({
      status: 200,
      json: { status: 'ready', parts: { database: 'ok', objects: 'ok' } },
    });
    await rename(join(data, 'objects'), join(data, 'gone'));
    expect((await call('GET', '/readyz')).status).toBe(200);
    now += 1_000;
    expect(await call('GET', '/readyz')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect((await call('GET', '/healthz')).status).toBe(200);
    await rename(join(data, 'gone'), join(data, 'objects'));
    now += 1_000;
    expect((await call('GET', '/readyz')).status).toBe(200);
    expect((await call('POST', '/readyz')).status).toBe(405);
  });

  test('serves metrics to this computer only', async () => {
    const { call } = await runServer();
    await call('GET', CAPABILITIES);
    await call('GET', '/nowhere/at/all');
    await vi.waitFor(async () => {
      const { text, headers } = await call('GET', '/metrics');
      expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(text).toContain(`holdfast_requests_total{method="GET",route="${CAPABILITIES}",status="200"} 1\n`);
      expect(text).toContain('holdfast_requests_total{method="GET",route="none",status="404"} 1\n');
      expect(text).toMatch(/holdfast_request_duration_seconds_count\{route="none"\} 1\n/);
      expect(text).toContain('holdfast_ready{part="database"} 1\n');
      expect(text).toContain('holdfast_devices 1\n');
      expect(text).toContain('holdfast_webhook_deliveries_waiting 0\n');
      expect(text).toContain('holdfast_storage_bytes 0\n');
      expect(text).toMatch(/holdfast_data_free_bytes \d+\n/);
      expect(text).not.toContain('nowhere');
    }, 60_000);
    expect((await call('GET', '/metrics', undefined, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(404);
  });

  test('serves metrics to holders of the token', async () => {
    const { call } = await runServer({ metricsToken: 'correct-token' });
    const ask = (authorization?: string) =>
      call('GET', '/metrics', undefined, { ...(authorization && { authorization }) });
    expect((await ask()).status).toBe(401);
    expect((await ask('Bearer wrong-token')).status).toBe(401);
    expect((await ask('Bearer correct-token')).status).toBe(200);
  });

  test('limits sign-ins by address and requests by address and account, with Retry-After', async () => {
    const limits = { perAddress: 12, signInsPerAddress: 3, perAccount: 4 };
    const now = Date.now();
    const running = await runServer({ limits, trustedProxies: [parseRange('127.0.0.1')], clock: { now: () => now } });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const token = await running.signIn();
    const guess = (address: string) =>
      running.call('POST', '/auth/v1/token?grant_type=refresh_token', '{"refresh_token": "x"}', from(address));
    for (let count = 0; count < 3; count += 1) expect((await guess('203.0.113.1')).status).toBe(401);
    const refused = await guess('203.0.113.1');
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '20' },
      json: { code: 'too_many_requests' },
    });
    // Another spelling of the path counts as the same route.
    const spelled = await running.call('POST', '/%61uth/v1/token?grant_type=refresh_token', '{}', from('203.0.113.1'));
    expect(spelled.status).not.toBe(400);
    expect((await guess('203.0.113.2')).status).toBe(401);

    const list = (address: string) =>
      running.call('GET', '/rest/v1/devices', undefined, { ...from(address), authorization: `Bearer ${token}` });
    for (let count = 0; count < 4; count += 1) expect((await list(`198.51.100.${count}`)).status).toBe(200);
    expect(await list('198.51.100.9')).toMatchObject({ status: 429, headers: { 'retry-after': '15' } });

    for (let count = 0; count < 12; count += 1) await running.call('GET', CAPABILITIES, undefined, from('203.0.113.7'));
    expect((await running.call('GET', CAPABILITIES, undefined, from('203.0.113.7'))).status).toBe(429);
    expect((await running.call('GET', '/nowhere', undefined, from('203.0.113.7'))).status).toBe(429);
    expect((await running.call('GET', '/healthz', undefined, from('203.0.113.7'))).status).toBe(200);
    const { text } = await running.call('GET', '/metrics');
    expect(text).toContain('holdfast_requests_limited_total{by="sign-in"}');
  });

  test('answers a health check of HTTP/1.0, which names no host', async () => {
    const { server } = await runServer();
    const { hostname, port } = new URL(server.url);
    for (const path of ['/healthz', '/readyz']) {
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    }
  });

  test('drops what is put to it for a check of proxies, up to the largest blob', async () => {
    const { call } = await runServer();
    const checked = await call('PUT', '/healthz', Buffer.alloc(100_000), { 'x-forwarded-for': '203.0.113.1' });
    expect(checked).toMatchObject({ status: 200, json: { status: 'ok', bytes: 100_000, forwarded: true } });
    expect(await call('PUT', '/healthz', Buffer.alloc(64 * 2 ** 20 + 29))).toMatchObject({ status: 413 });
  });

  test('is not ready while it finishes a request, takes no other one, and then ends', async () => {
    const { server, call } = await runServer();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const answer = text(socket);
    socket.write(
      'POST /auth/v1/token?grant_type=refresh_token HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    const closed = server.close();
    expect(await call('GET', '/readyz')).toMatchObject({ status: 503, json: { status: 'closing' } });
    expect((await call('GET', '/healthz')).status).toBe(200);
    const refused = await call('GET', CAPABILITIES);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } });
    socket.write('{}');
    expect(await answer).toMatch(/HTTP\/1\.1 400 /);
    await closed;
    await expect(call('GET', '/readyz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('closes answered and endless connections when it stops', async () => {
    const { server } = await runServer({ closingSeconds: 0 });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write(
      'POST /auth/v1/token?grant_type=password HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n',
    );
    await once(socket, 'data');
    const ended = once(socket, 'close');
    await server.close();
    await ended;
  });
});
