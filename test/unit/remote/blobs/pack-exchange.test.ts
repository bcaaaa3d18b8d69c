import { describe, expect, test } from 'vitest';
import { AdaptiveConcurrency } from '../../../../src/remote/blobs/adaptive-concurrency.ts';
import { PackExchange } from '../../../../src/remote/blobs/pack-exchange.ts';
import type { AuthorisedCalls } from '../../../../src/remote/client/authorised-calls.ts';
import type { HttpClient, HttpResponse } from '../../../../src/remote/http/http-client.ts';
import { INTERACTIVE_RETRY_POLICY, Retrier } from '../../../../src/remote/http/retrier.ts';
import { InstantClock } from '../instant-clock.ts';

const HOUR_MS = 3_600_000;

function response(status: number, body: object = {}): HttpResponse {
  const bytes = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield bytes;
    })(),
    bytes: () => Promise.resolve(bytes),
    discard: () => Promise.resolve(),
  };
}

/** Sends packs to a storage that responds with these statuses, and then with 200. */
function exchange(...statuses: readonly number[]) {
  const clock = new InstantClock();
  /** The number of the address of each request. */
  const used: number[] = [];
  let presigned = 0;
  const calls = {
    call: ({ read }: { read: (response: HttpResponse, address: string) => Promise<unknown> }) => {
      presigned += 1;
      return read(response(200, { url: `https://storage.test/${presigned}`, expires_in: HOUR_MS / 1000 }), 'service');
    },
  } as unknown as AuthorisedCalls;
  const left = [...statuses];
  const storage: HttpClient = {
    request: ({ url }) => {
      used.push(Number(new URL(url).pathname.slice(1)));
      return Promise.resolve(response(left.shift() ?? 200));
    },
    close: () => Promise.resolve(),
  };
  const retrier = new Retrier({ clock, policy: INTERACTIVE_RETRY_POLICY });
  const concurrency = new AdaptiveConcurrency({ least: 1, most: 4 }, clock);
  const packs = new PackExchange(
    { calls, storage, retrier, clock },
    { path: 'packs', sessionField: 'session_id' },
    concurrency,
  );
  const send = (session = 'one') =>
    packs.send(
      session,
      () => ({ body: 'pack' }),
      () => Promise.resolve('stored'),
      new AbortController().signal,
    );
  return { send, used, clock };
}

describe('the address of packs', () => {
  test('is used for all packs of a session', async () => {
    const { send, used } = exchange();
    await send();
    await send();
    expect(used).toEqual([1, 1]);
  });

  test.each([400, 401, 403])('is not used again when the storage refuses it with %i', async (status) => {
    const { send, used, clock } = exchange(status);
    expect(await send()).toBe('stored');
    expect(used).toEqual([1, 2]);
    expect(clock.slept).toEqual([]);
    await send();
    expect(used).toEqual([1, 2, 2]);
  });

  test('is another one for each refusal', async () => {
    const { send, used } = exchange(403, 403, 403);
    expect(await send()).toBe('stored');
    expect(used).toEqual([1, 2, 3, 4]);
  });

  test('stays when the storage is busy', async () => {
    const { send, used } = exchange(503);
    expect(await send()).toBe('stored');
    expect(used).toEqual([1, 1]);
  });

  test('is another one for another session, and shortly before it expires', async () => {
    const { send, used, clock } = exchange();
    await send('one');
    await send('two');
    clock.advance(HOUR_MS - 30_000);
    await send('two');
    expect(used).toEqual([1, 2, 3]);
  });
});
