import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METADATA_FILE } from '../../../../src/service/database/sqlite/sqlite-connection.ts';
import { OutboxStore } from './outbox-store.ts';
import { startReceiver } from './receiver.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const PROGRAM = new URL('dispatcher-process.ts', import.meta.url).pathname;
const LEASE_AND_MORE = 120_000;
const LIVES = orThorough(6, 16);
/** More than all processes can deliver, so that each has work. */
const EVENTS = 100;

test('loses no delivery when it is killed repeatedly', { timeout: 600_000 }, async () => {
  using store = new OutboxStore();
  let arrived = 0;
  let killAfter = 0;
  let child: ReturnType<typeof spawn> | undefined;
  await using receiver = await startReceiver(() => {
    arrived += 1;
    // Killed during attempts: some without a response, some with a response that is not recorded.
    if (arrived === killAfter) child?.kill('SIGKILL');
    return 200;
  });
  for (const id of ['a', 'b', 'c']) store.addEndpoint(id, receiver.url);
  const begin = Date.now();
  await store.emit(begin, EVENTS);
  const ids = store.deliveries().map(({ id }) => id);

  const undelivered = (): number => store.deliveries().filter(({ delivered_at }) => delivered_at === null).length;
  const receivedIds = (): Set<unknown> =>
    new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery']));

  for (let life = 0; life < LIVES; life += 1) {
    killAfter = arrived + 1 + Math.floor(Math.random() * 10);
    const time = begin + life * LEASE_AND_MORE;
    child = spawn(process.execPath, [PROGRAM, join(store.directory, METADATA_FILE), String(time)], {
      stdio: 'inherit',
    });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    // Delivered entries did arrive.
    const received = receivedIds();
    for (const { id, delivered_at } of store.deliveries()) if (delivered_at !== null) expect(received).toContain(id);
  }
  expect(undelivered()).toBeGreaterThan(0);

  killAfter = 0;
  const time = begin + LIVES * LEASE_AND_MORE;
  child = spawn(process.execPath, [PROGRAM, join(store.directory, METADATA_FILE), String(time)], { stdio: 'inherit' });
  while (undelivered() > 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(receivedIds()).toEqual(new Set(ids));
  // The same id has the same bytes.
  const bodies = new Map(store.deliveries().map(({ id, body }) => [id, body]));
  for (const { headers, body } of receiver.requests) {
    expect(body.toString('utf8')).toBe(bodies.get(headers['x-service-delivery'] as string));
  }
});
