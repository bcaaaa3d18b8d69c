import { expect, test } from 'vitest';
import { sendPing } from '../../../../src/agent/hooks/ping.ts';
import { UndiciHttp } from '../../../../src/remote/http/undici-http.ts';
import { pings } from '../../../../src/model/set.ts';
import type { PingResult } from '../../../../src/ipc/contract/hooks.ts';
import { impatientClock } from '../../../helpers/impatient-clock.ts';
import { startPingServer } from './ping-server.ts';

async function send(url: string, signal = new AbortController().signal): Promise<PingResult> {
  const http = new UndiciHttp();
  try {
    return await sendPing(url, 'set: docs\n', { http, clock: impatientClock, signal });
  } finally {
    await http.close();
  }
}

test('a ping is a POST of text', async () => {
  const server = await startPingServer();
  expect(await send(`${server.url}/uuid/start`)).toMatchObject({ isDelivered: true, attempts: 1, status: 200 });
  expect(server.received).toEqual([
    { method: 'POST', path: '/uuid/start', type: 'text/plain; charset=utf-8', body: 'set: docs\n' },
  ]);
});

test.each([
  ['a server that fails for a while', [503, 0], { isDelivered: true, attempts: 3, status: 200 }],
  ['a server that asks to slow down', [429], { isDelivered: true, attempts: 2, status: 200 }],
  ['a server that keeps failing', [500, 500, 502], { isDelivered: false, attempts: 3, status: 502 }],
  ['an address that is wrong', [404], { isDelivered: false, attempts: 1, status: 404 }],
  ['an address that moved, since redirects may lead anywhere', [302], { isDelivered: false, attempts: 1, status: 302 }],
])('%s', async (_what, statuses, result) => {
  const server = await startPingServer();
  server.statuses.push(...statuses);
  expect(await send(server.url)).toMatchObject(result);
  expect(server.received).toHaveLength(result.attempts);
});

test('without a server there are three attempts and no error', async () => {
  const server = await startPingServer();
  server.statuses.push(0, 0, 0);
  const result = await send(server.url);
  expect(result).toMatchObject({ isDelivered: false, attempts: 3 });
  expect(result).not.toHaveProperty('status');
});

test('that is given up has no further attempt, and ends the one under way', async () => {
  const server = await startPingServer();
  const controller = new AbortController();
  server.statuses.push(-1);
  server.onPing = () => controller.abort();
  expect(await send(server.url, controller.signal)).toMatchObject({ isDelivered: false, attempts: 1 });
});

test.each([
  ['https://hc-ping.com/0b1c', true],
  ['http://127.0.0.1:8000/ping', true],
  ['http://localhost/ping', true],
  ['http://[::1]/ping', true],
  ['http://hc-ping.com/0b1c', false],
  ['http://127.0.0.1.example.org/', false],
  ['https://user:secret@hc-ping.com/', false],
  ['file:///etc/passwd', false],
  ['ftp://127.0.0.1/', false],
  ['', false],
])('%s may be told: %s', (success, isAllowed) => {
  expect(pings.safeParse({ success }).success).toBe(isAllowed);
});
