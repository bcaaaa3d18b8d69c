import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Dispatcher } from '../../../../src/service/webhooks/dispatcher.ts';
import { type AttemptOutcome, type Delivery, WebhookOutbox } from '../../../../src/service/webhooks/outbox.ts';
import type { Sender } from '../../../../src/service/webhooks/sender.ts';
import { ManualClock, settled } from '../../../unit/service/webhooks/manual-clock.ts';
import { OutboxStore } from './outbox-store.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

interface Try {
  readonly id: string;
  readonly endpointId: string;
  readonly at: number;
  readonly body: string;
}

describe('the dispatcher', () => {
  let store: OutboxStore;
  let clock: ManualClock;
  let tries: Try[];
  let logged: { readonly message: string; readonly fields: object }[];
  let running: Dispatcher[];

  beforeEach(() => {
    store = new OutboxStore();
    clock = new ManualClock();
    tries = [];
    logged = [];
    running = [];
  });
  afterEach(async () => {
    for (const dispatcher of running) {
      const stopped = dispatcher.stop();
      await clock.advance(10 * SECOND);
      await stopped;
    }
    store[Symbol.dispose]();
  });

  type Answer = (delivery: Delivery, signal: AbortSignal) => AttemptOutcome | Promise<AttemptOutcome>;

  function run(answer: Answer, outbox: WebhookOutbox = new WebhookOutbox(store.sql)): Dispatcher {
    const send: Sender = async (delivery, signal) => {
      tries.push({ id: delivery.id, endpointId: delivery.endpointId, at: clock.now(), body: delivery.body });
      return { headers: { 'X-Test': delivery.id }, outcome: await answer(delivery, signal) };
    };
    const write = (fields: object, message: string): void => {
      logged.push({ message, fields });
    };
    const dispatcher = new Dispatcher({ outbox, send, clock, log: { info: write, warn: write, error: write } });
    dispatcher.start();
    running.push(dispatcher);
    return dispatcher;
  }

  const answered = (status: number): AttemptOutcome => ({ kind: 'answered', status, answer: `said ${status}` });
  const states = (): (readonly [number, number | null])[] =>
    store.deliveries().map(({ attempts, last_status }) => [attempts, last_status] as const);
  const undelivered = (): number => store.deliveries().filter(({ delivered_at }) => delivered_at === null).length;

  /** A receiver that never responds: only the signal ends the attempt. */
  const silence = (_delivery: Delivery, signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });

  test('delivers new rows when woken, and rows of other processes at the next poll', async () => {
    store.addEndpoint('a');
    const dispatcher = run(() => answered(200));
    await clock.advance(0);
    await store.emit(clock.now());
    await clock.advance(0);
    expect(tries).toHaveLength(0);
    dispatcher.wake();
    await clock.advance(0);
    expect(states()).toEqual([[1, 200]]);

    await store.emit(clock.now());
    await clock.advance(3 * SECOND);
    expect(states()).toEqual([
      [1, 200],
      [1, 200],
    ]);
  });

  test.each([
    [200, true],
    [204, true],
    [299, true],
    [199, false],
    [301, false],
    [307, false],
    [400, false],
    [401, false],
    [404, false],
    [429, false],
    [500, false],
  ])('treats a %i as success: %s', async (status, success) => {
    store.addEndpoint('a');
    await store.emit(clock.now());
    run(() => answered(tries.length === 1 ? status : 200));
    await clock.advance(0);
    expect(store.deliveries()[0]?.last_status).toBe(status);
    await clock.advance(HOUR);
    expect(tries).toHaveLength(success ? 1 : 2);
    expect(undelivered()).toBe(0);
  });

  test('sends the same bytes and id at each attempt', async () => {
    store.addEndpoint('a');
    await store.emit(clock.now());
    const [stored] = store.deliveries();
    run(() => answered(tries.length < 5 ? 503 : 200));
    await clock.advance(HOUR);
    expect(tries).toHaveLength(5);
    for (const { id, body } of tries) expect({ id, body }).toEqual({ id: stored?.id, body: stored?.body });
    expect(JSON.parse(tries[0]?.body ?? '')).toMatchObject({ delivery_id: stored?.id, event: 'device.registered' });
  });

  test('delivers everything to a receiver that was down for 23 hours', async () => {
    store.addEndpoint('a');
    const start = clock.now();
    await store.emit(start, 60);
    run(() => answered(clock.now() < start + 23 * HOUR ? 503 : 200));
    await clock.advance(23 * HOUR - 1);
    expect(undelivered()).toBe(60);
    await clock.advance(HOUR);
    expect(undelivered()).toBe(0);
    for (const { attempts } of store.deliveries()) expect(attempts).toBeLessThan(200);
  });

  test('gives up after 24 hours, with a last attempt at their end', async () => {
    store.addEndpoint('a');
    const start = clock.now();
    await store.emit(start);
    run(() => ({ kind: 'failed', reason: 'ECONNREFUSED' }));
    await clock.advance(72 * HOUR);
    expect(tries.at(-1)?.at).toBe(start + 24 * HOUR);
    const expected = { next_attempt_at: null, delivered_at: null, last_status: null, last_error: 'ECONNREFUSED' };
    expect(store.deliveries()).toMatchObject([expected]);
    expect(logged.at(-1)?.message).toBe('webhook delivery given up');
  });

  test('ends an attempt after 15 seconds', async () => {
    store.addEndpoint('a');
    await store.emit(clock.now());
    run(silence);
    await clock.advance(15 * SECOND - 1);
    expect(store.deliveries()).toMatchObject([{ last_error: null }]);
    await clock.advance(1);
    expect(store.deliveries()).toMatchObject([{ attempts: 1, last_status: null, last_error: 'TIMEOUT' }]);
  });

  test('disables an endpoint that responds 410', async () => {
    store.addEndpoint('a');
    store.addEndpoint('b');
    await store.emit(clock.now(), 20);
    run(({ endpointId }) => answered(endpointId === 'a' ? 410 : 200));
    await clock.advance(48 * HOUR);
    expect(store.disabledAt('a')).not.toBeNull();
    expect(tries.filter(({ endpointId }) => endpointId === 'a').length).toBeLessThanOrEqual(4);
    expect(tries.filter(({ endpointId }) => endpointId === 'b')).toHaveLength(20);
    expect(store.disabledAt('b')).toBeNull();
  });

  test('delivers to others while receivers are silent', async () => {
    for (let index = 0; index < 40; index += 1) store.addEndpoint(`silent-${index}`);
    await store.emit(clock.now(), 10);
    run((delivery, signal) => (delivery.endpointId === 'alive' ? answered(200) : silence(delivery, signal)));
    // By now all of them have failed once.
    await clock.advance(60 * SECOND);
    store.addEndpoint('alive');
    await store.emit(clock.now(), 200);
    const before = clock.now();
    await clock.advance(3 * SECOND);
    const alive = tries.filter(({ endpointId }) => endpointId === 'alive');
    expect(alive).toHaveLength(200);
    expect(Math.max(...alive.map(({ at }) => at))).toBeLessThanOrEqual(before + 3 * SECOND);
  });

  test('respects its limits of concurrency', async () => {
    for (let index = 0; index < 30; index += 1) store.addEndpoint(`e${index}`);
    await store.emit(clock.now(), 10);
    const open = new Map<string, number>();
    let mostInAll = 0;
    let mostForOne = 0;
    run(async ({ endpointId }, signal) => {
      open.set(endpointId, (open.get(endpointId) ?? 0) + 1);
      mostForOne = Math.max(mostForOne, open.get(endpointId) ?? 0);
      mostInAll = Math.max(
        mostInAll,
        [...open.values()].reduce((sum, count) => sum + count, 0),
      );
      await clock.sleep(100, signal);
      open.set(endpointId, (open.get(endpointId) ?? 0) - 1);
      return answered(200);
    });
    await clock.advance(60 * SECOND);
    expect(undelivered()).toBe(0);
    expect({ mostInAll, mostForOne }).toEqual({ mostInAll: 32, mostForOne: 4 });
  });

  test('sends a delivery once when two processes find it', async () => {
    for (const id of ['a', 'b', 'c']) store.addEndpoint(id);
    await store.emit(clock.now(), 100);
    const slowly: Answer = async (_delivery, signal) => {
      await clock.sleep(1000, signal);
      return answered(200);
    };
    run(slowly);
    run(slowly);
    await clock.advance(HOUR);
    expect(undelivered()).toBe(0);
    expect(tries).toHaveLength(300);
  });

  test('retries deliveries that a killed process had leased', async () => {
    store.addEndpoint('a');
    await store.emit(clock.now());
    const now = clock.now();
    const killed = new WebhookOutbox(store.sql);
    await killed.claim({ endpointId: 'a', limit: 1, now, leasedUntil: now + 60 * SECOND });
    run(() => answered(200));
    await clock.advance(60 * SECOND - 1);
    expect(tries).toHaveLength(0);
    await clock.advance(1);
    expect(states()).toEqual([[2, 200]]);
  });

  test('records responses that arrive in time while stopping; other deliveries are due again at once', async () => {
    store.addEndpoint('quick');
    store.addEndpoint('silent');
    await store.emit(clock.now());
    const dispatcher = run(async (delivery, signal) => {
      if (delivery.endpointId === 'silent') return silence(delivery, signal);
      await clock.sleep(2 * SECOND, signal);
      return answered(200);
    });
    await clock.advance(SECOND);
    const stopped = dispatcher.stop();
    await clock.advance(10 * SECOND);
    await stopped;
    const [quick, silent] = store.deliveries();
    expect(quick).toMatchObject({ last_status: 200, attempts: 1 });
    expect(silent).toMatchObject({ next_attempt_at: clock.now() - 4 * SECOND - SECOND, attempts: 0 });

    await store.emit(clock.now());
    dispatcher.wake();
    await clock.advance(HOUR);
    expect(tries).toHaveLength(2);
  });

  test('continues after the database failed', async () => {
    store.addEndpoint('a');
    await store.emit(clock.now());
    let failures = 0;
    class FailingOutbox extends WebhookOutbox {
      override async dueEndpoints(now: number): Promise<readonly string[]> {
        failures += 1;
        if (failures % 2 === 1) throw new Error('database is locked');
        return super.dueEndpoints(now);
      }
      override async settle(...results: Parameters<WebhookOutbox['settle']>): ReturnType<WebhookOutbox['settle']> {
        if (tries.length === 1) throw new Error('database is locked');
        return super.settle(...results);
      }
    }
    run(() => answered(200), new FailingOutbox(store.sql));
    await clock.advance(5 * 60 * SECOND);
    await settled();
    // At least once: the first success could not be recorded.
    expect(tries).toHaveLength(2);
    expect(states()).toEqual([[2, 200]]);
    expect(logged.map(({ message }) => message)).toContain('a webhook delivery could not be recorded');
    expect(logged.map(({ message }) => message)).toContain('the webhook outbox cannot be read');
  });

  test('logs neither addresses nor secrets nor bodies', async () => {
    store.addEndpoint('a', 'https://receiver.example/hidden-path');
    await store.emit(clock.now());
    run(() => answered(tries.length === 1 ? 500 : 200));
    await clock.advance(HOUR);
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toMatch(/receiver\.example|hidden-path|whsec|Laptop/);
  });
});
