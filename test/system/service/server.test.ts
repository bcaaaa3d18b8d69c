import { connect } from 'node:net';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { request as httpRequest } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InProcessService } from '../../helpers/service/in-process-service.ts';
import { startServer } from '../../../src/service/server.ts';
import type { RunningServer, ServerOptions } from '../../../src/service/server.ts';
import {
  chunk,
  deviceSignature,
  file,
  manifestEntry,
  STATS,
  temporaryDirectory,
  TestClock,
  TestService,
} from '../../unit/service/harness.ts';

interface Running {
  readonly server: RunningServer;
  readonly device: { readonly id: string; readonly key: string };
  readonly logged: () => string;
}

async function start(options: Partial<ServerOptions> = {}): Promise<Running> {
  const data = options.data ?? (await temporaryDirectory());
  const prepared = await InProcessService.open(data, { create: true });
  const { deviceId: id, deviceKey: key } = await prepared.registerDevice({
    name: 'n',
    os: 'linux',
    agent_version: '1',
  });
  await prepared.close();
  const { lines, log } = memoryLog();
  const server = await startServer({ data, log, ...options });
  onTestFinished(() => server.close());
  return { server, device: { id, key }, logged: lines };
}

function memoryLog() {
  let text = '';
  const sink = new Writable({
    write(piece: Buffer, _, done) {
      text += piece.toString();
      done();
    },
  });
  return { lines: () => text, log: pino({ level: 'trace' }, sink) };
}

async function call(url: string, method: 'GET' | 'POST' | 'PUT', body?: string | Uint8Array, headers: object = {}) {
  const answer = await httpRequest(url, {
    method,
    headers: headers as Record<string, string>,
    ...(body === undefined ? {} : { body }),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes,
    json: () => JSON.parse(bytes.toString()) as never,
  };
}

async function tokenOf({ server, device }: Running): Promise<string> {
  const signature = deviceSignature(device.key, device.id, Math.floor(Date.now() / 1000));
  const body = JSON.stringify({ device_key: device.key, device_id: device.id, signature });
  const { access_token: token } = (await call(`${server.url}/functions/v1/auth/device`, 'POST', body)).json() as {
    access_token: string;
  };
  return token;
}

describe('over sockets', () => {
  test.each([undefined, 'https://backup.example.com/'])('completes a run (public address: %s)', async (publicUrl) => {
    const running = await start(publicUrl === undefined ? {} : { publicUrl });
    const { server, device } = running;
    const headers = { authorization: `Bearer ${await tokenOf(running)}`, 'content-type': 'application/json' };
    const files = [file('/a', [chunk('small'), chunk(400_000)])];
    const post = async (path: string, body: object) =>
      (await call(server.url + path, 'POST', JSON.stringify(body), headers)).json() as Record<string, never>;
    const manifest = { device_id: device.id, backup_set: 'docs', files: files.map(manifestEntry) };
    const init = await post('/functions/v1/backup/init', manifest);
    for (const { hash, blob } of files[0]!.chunks) {
      const request = { session_id: init['session_id'], chunk_hash: hash, chunk_size: blob.length };
      const presign = await post('/functions/v1/backup/presign', request);
      const url = String(presign['upload_url']);
      expect(url.startsWith(publicUrl ?? `${server.url}/`)).toBe(true);
      const here = url.replace('https://backup.example.com', server.url);
      const put = await call(here, 'PUT', blob, presign['headers']);
      expect([put.status, put.bytes.length]).toEqual([200, 0]);
      expect((await call(here, 'PUT', blob, presign['headers'])).status).toBe(412);
    }
    const run = await post('/functions/v1/backup/complete', { session_id: init['session_id'], stats: STATS });
    expect(run['status']).toBe('completed');
    const devices = await call(`${server.url}/rest/v1/devices`, 'GET', undefined, headers);
    expect(Math.abs(Date.parse(devices.headers['date'] as string) - Date.now())).toBeLessThan(60_000);
  });

  test('finishes running requests and accepts no new ones while closing', async () => {
    const { server } = await start();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.write(
      'POST /auth/v1/token?grant_type=refresh_token HTTP/1.1\r\nHost: x\r\nContent-Length: 21\r\n\r\n{"refresh_token":',
    );
    // The server has this request's head when it answers another request.
    await call(`${server.url}/functions/v1/capabilities`, 'GET');
    const closing = server.close();
    socket.write('"x"}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    socket.end();
    await closing;
    await expect(call(`${server.url}/functions/v1/capabilities`, 'GET')).rejects.toThrow(/ECONNREFUSED/);
    await server.close();
  });

  test.each([
    ['a blob', '/objects/v1/:account_id/:digest'],
    ['JSON', '/auth/v1/token'],
    ['compressed JSON', '/auth/v1/token'],
    ['a pack', '/objects/v1/packs/backup/:session_id'],
    ['an upload check', '/healthz'],
  ])('a client that ends the connection within the body is no failure of the service: %s', async (name, route) => {
    const running = await start();
    const { server, device, logged } = running;
    const headers = { authorization: `Bearer ${await tokenOf(running)}`, 'content-type': 'application/json' };
    const files = [file('/a', [chunk('small')])];
    const post = async (path: string, body: object) =>
      (await call(server.url + path, 'POST', JSON.stringify(body), headers)).json() as Record<string, never>;
    const manifest = { device_id: device.id, backup_set: 'docs', files: files.map(manifestEntry) };
    const init = await post('/functions/v1/backup/init', manifest);
    const { hash, blob } = files[0]!.chunks[0]!;
    const heads: Readonly<Record<string, () => Promise<readonly string[]>>> = {
      'a blob': async () => {
        const request = { session_id: init['session_id'], chunk_hash: hash, chunk_size: blob.length };
        const presign = await post('/functions/v1/backup/presign', request);
        const { pathname, search } = new URL(String(presign['upload_url']));
        return [`PUT ${pathname}${search}`];
      },
      JSON: async () => ['POST /auth/v1/token?grant_type=password'],
      'compressed JSON': async () => ['POST /auth/v1/token?grant_type=password', 'content-encoding: gzip'],
      'a pack': async () => {
        const presign = await post('/functions/v1/backup/pack', { session_id: init['session_id'] });
        const { pathname, search } = new URL(String(presign['url']));
        return [`POST ${pathname}${search}`];
      },
      'an upload check': async () => ['PUT /healthz'],
    };
    const [line, ...more] = await heads[name]!();
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write([`${line} HTTP/1.1`, `host: ${host}`, ...more, `content-length: ${blob.length}`, '', ''].join('\r\n'));
    const part = name === 'compressed JSON' ? gzipSync('{}').subarray(0, 12) : blob.subarray(0, -1);
    socket.write(part, () => socket.destroy());
    await expect.poll(logged).toContain('"cut_off":true');
    const lines = logged()
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { readonly level: number; readonly route?: string; readonly cut_off?: true });
    expect(lines.filter((entry) => entry.cut_off === true).map((entry) => entry.route)).toEqual([route]);
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  });

  test('reports an address in use and closes the store', async () => {
    const { server } = await start();
    const data = await temporaryDirectory();
    const port = Number(new URL(server.url).port);
    await expect(startServer({ data, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const other = await startServer({ data });
    await other.close();
  });

  test('reports internal errors by id, and logs them without messages', async () => {
    const { lines, log } = memoryLog();
    const data = await temporaryDirectory();
    const service = await TestService.open(data, new TestClock(), log);
    const device = await service.register();
    service.service.context.metadata.deviceActivity.list = () =>
      Promise.reject(new Error(`cannot read ${data}/secret`));
    const answer = await service.call('GET', '/rest/v1/devices', device.token);
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal', status: 500 } });
    const [, request] = /^request (req_.*)$/.exec(answer.body.detail as string)!;
    expect(JSON.stringify(answer.body)).not.toContain(data);
    expect(lines()).toContain(request);
    expect(lines()).toContain('server.test.ts');
    for (const secret of [data, device.token, device.key]) expect(lines()).not.toContain(secret);
  });

  test('logs no secret', async () => {
    const running = await start();
    const token = await tokenOf(running);
    const headers = { authorization: `Bearer ${token}` };
    expect((await call(`${running.server.url}/rest/v1/devices`, 'GET', undefined, headers)).status).toBe(200);
    for (const secret of [token, running.device.key]) expect(running.logged()).not.toContain(secret);
  });
});

describe('missing routes', () => {
  test.each([
    ['GET', '/', 404],
    ['GET', '/functions/v1/backup', 404],
    ['POST', '/functions/v2/backup/init', 404],
    ['GET', '/objects/v1/acc_x', 404],
    ['GET', '/functions/v1/backup/init', 405],
    ['PUT', '/functions/v1/restore/manifest', 405],
    ['DELETE', '/rest/v1/devices', 405],
    ['POST', '/rest/v1/devices/dev_x', 405],
    ['POST', `/objects/v1/acc_x/${'0'.repeat(64)}`, 405],
    ['GET', '/auth/v1/token', 405],
  ])('%s %s is %i', async (method, path, status) => {
    const service = await TestService.open();
    const answer = await service.call(method, path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(answer.body).toMatchObject({
      type: 'about:blank',
      status,
      code: status === 404 ? 'not_found' : 'method_not_allowed',
    });
  });

  test('capabilities are public', async () => {
    const service = await TestService.open();
    const answer = await service.call('GET', '/functions/v1/capabilities');
    expect(answer.body.capabilities).toEqual([
      'backup.presign.batch',
      'backup.abort',
      'backup.check',
      'backup.compression',
      'backup.init.delta',
      'backup.open',
      'backup.pack',
      'backup.complete.signals',
      'backup.complete.time',
      'restore_points',
      'backup_sets',
      'restore.directories',
      'restore.pack',
      'restore.report',
      'retention',
      'devices.register',
      'account.key',
    ]);
  });

  test('a body that is too long gets 413', async () => {
    const service = await TestService.open();
    const body = JSON.stringify({ email: 'a'.repeat(3_000_000), password: 'b' });
    expect(await service.post('/auth/v1/token?grant_type=password', undefined, body)).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    });
  });

  test('restore points and sets are listed newest first and by name', async () => {
    const service = await TestService.open();
    const device = await service.register();
    const first = await service.backUp(device, 'docs', [file('/a', ['one'])]);
    service.clock.advance(1_000);
    const second = await service.backUp(device, 'docs', [file('/a', ['one']), file('/b', ['two!'])]);
    await service.init(device, 'art', []);
    const query = `device_id=${device.id}&backup_set=docs`;
    const points = await service.call('GET', `/rest/v1/restore_points?${query}`, device.token);
    expect(points.body.restore_points).toEqual([
      {
        restore_point: second.body.restore_point as string,
        backup_id: second.body.backup_id as string,
        files: 2,
        bytes: 7,
      },
      {
        restore_point: first.body.restore_point as string,
        backup_id: first.body.backup_id as string,
        files: 1,
        bytes: 3,
      },
    ]);
    const sets = await service.call('GET', `/rest/v1/backup_sets?device_id=${device.id}`, device.token);
    expect(sets.body.backup_sets).toEqual([
      { name: 'art', last_restore_point: null },
      { name: 'docs', last_restore_point: second.body.restore_point as string },
    ]);
    expect((await service.call('GET', '/rest/v1/restore_points', device.token)).status).toBe(400);
  });
});
