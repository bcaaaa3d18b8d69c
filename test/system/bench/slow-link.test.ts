import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seededBytes } from '../../../bench/data-sets/seeded-bytes.ts';
import { SlowLink } from '../../../bench/network/slow-link.ts';

/** Echoes its input. */
const echo = createServer((request, response) => void request.pipe(response));
let link: SlowLink;

beforeEach(async () => {
  link = await SlowLink.listen({ roundTripMs: 40, bytesPerSecond: 5_000_000 });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  link.connectTo(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`);
});
afterEach(async () => {
  link.close();
  echo.closeAllConnections();
  echo.close();
  await once(echo, 'close');
});

test('delivers bytes completely and in order, no faster than the link allows for all connections together', async () => {
  const bodies = ['a', 'b', 'c'].map((seed) => seededBytes(seed)(300_000));
  const started = performance.now();
  const answers = await Promise.all(
    bodies.map(async (body) => {
      const response = await fetch(link.url, { method: 'POST', body });
      return Buffer.from(await response.arrayBuffer());
    }),
  );
  // 900 kB at 5 kB per millisecond, and half a round trip each way.
  expect(performance.now() - started).toBeGreaterThan(180 + 40);
  expect(answers.map((answer, index) => answer.equals(bodies[index]!))).toEqual([true, true, true]);
});
