import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CallClient } from '../../../../src/base/calls/call-client.ts';
import { parseClientMessage, serverMessageParser } from '../../../../src/base/calls/messages.ts';
import type { Port } from '../../../../src/base/calls/port.ts';
import { serveCalls } from '../../../../src/base/calls/serve-calls.ts';
import { workerPort, type WorkerPort } from '../../../../src/base/calls/thread-port.ts';
import { HoldfastError, isHoldfastError } from '../../../../src/base/errors/errors.ts';
import type { TestCalls, TestEvents } from './calls-thread.ts';

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('calls to a thread', () => {
  let worker: Worker;
  let port: WorkerPort;
  let client: CallClient<TestCalls, TestEvents>;
  let names: string[];

  beforeEach(() => {
    names = [];
    worker = new Worker(new URL('./calls-thread.ts', import.meta.url));
    port = workerPort(worker, (code) => new Error(`ended with code ${code}`));
    client = new CallClient(port, { listeners: { named: (name) => names.push(name) } });
  });
  afterEach(() => worker.terminate());

  test('match each answer to its call', async () => {
    const answers = [client.call('slowly', 50), client.call('double', 4), client.call('slowly', 1)];
    expect(client.pending).toBe(3);
    expect(await Promise.all(answers)).toEqual([50, 8, 1]);
    expect(client.pending).toBe(0);
  });

  test('receive events in order, before the answer that follows them', async () => {
    await client.call('announce', 'first');
    await client.call('announce', 'second');
    expect(names).toEqual(['first', 'second']);
  });

  test('move buffers in both directions', async () => {
    const buffer = new Uint8Array(1024);
    const { bytes } = await client.call('fill', buffer, { transfer: [buffer.buffer] });
    expect(buffer.buffer.detached).toBe(true);
    expect([bytes.length, bytes[0]]).toEqual([1024, 7]);
  });

  test('carry the code, the details and the retryability of an error', async () => {
    const error = await errorOf(client.call('fail', 'holdfast'));
    expect(isHoldfastError(error, 'home_busy')).toBe(true);
    expect(error).toMatchObject({ details: { pid: 7 }, retryable: true });
  });

  test('carry system errors and bugs', async () => {
    expect(await errorOf(client.call('fail', 'system'))).toMatchObject({ message: 'no space', code: 'ENOSPC' });
    expect(await errorOf(client.call('fail', 'range'))).toMatchObject({ name: 'RangeError', message: 'out of range' });
  });

  test('abort with the reason of the signal', async () => {
    for (const reason of ['stopped by the person', new HoldfastError('interrupted')]) {
      const abort = new AbortController();
      const aborted = client.call('untilAborted', undefined, { signal: abort.signal });
      abort.abort(reason);
      expect(await aborted).toEqual(reason instanceof Error ? expect.any(Error) : reason);
    }
    const early = AbortSignal.abort('before');
    expect(await client.call('untilAborted', undefined, { signal: early })).toBe('before');
  });

  test('reject a value that cannot be sent, and nothing else', async () => {
    const uncloneable = (() => 1) as unknown as number;
    const other = client.call('double', 1);
    await expect(client.call('double', uncloneable)).rejects.toThrow('could not be cloned');
    expect(await other).toBe(2);
    expect(client.pending).toBe(0);
  });

  test('fail when the thread ends, also those made afterwards', async () => {
    const pending = client.call('slowly', 60_000);
    const exit = client.call('exit', 3);
    await expect(pending).rejects.toThrow('ended with code 3');
    await expect(exit).rejects.toThrow('ended with code 3');
    await expect(client.call('double', 1)).rejects.toThrow('ended with code 3');
    expect(client.hasEnded).toBe(true);
  });

  test('let the thread end when it closes its port after the response', async () => {
    const exited = once(worker, 'exit');
    await client.call('close', undefined);
    expect(await exited).toEqual([0]);
  });
});

describe('a thread that loads its modules', () => {
  test.each(['end', 'terminate'] as const)('is left alone until it has, by %s', async (by) => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL('./loading-thread.ts', import.meta.url), { workerData: flag });
    const port = workerPort(worker, () => new Error('ended'));
    await port[by]();
    expect(flag[0]).toBe(1);
    expect(worker.threadId).toBe(-1);
  });

  test('is terminated afterwards if it does not end by itself', async () => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL('./loading-thread.ts', import.meta.url), { workerData: flag });
    const port = workerPort(worker, () => new Error('ended'));
    port.post('stay');
    await port.end();
    expect(worker.threadId).toBe(-1);
  });
});

describe('calls to another process', () => {
  /** Two connected ports; messages pass through JSON. */
  function portPair(): [Port & { send: (message: unknown) => void }, Port & { send: (message: unknown) => void }] {
    const sides = [[], []] as [((message: unknown) => void)[], ((message: unknown) => void)[]];
    const portOf = (own: 0 | 1): Port & { send: (message: unknown) => void } => {
      const post = (message: unknown): void => {
        const text = JSON.stringify(message);
        for (const listener of sides[own === 0 ? 1 : 0]) listener(JSON.parse(text));
      };
      return { post, send: post, onMessage: (listener) => void sides[own].push(listener), onEnd: () => undefined };
    };
    return [portOf(0), portOf(1)];
  }

  const parse = serverMessageParser(z.number(), { counted: z.int() });

  test('check every message on both sides', async () => {
    const [ours, theirs] = portPair();
    const counted: number[] = [];
    let invalid = 0;
    const client = new CallClient<{ add(input: readonly number[]): number }, { counted: number }>(ours, {
      parse,
      onInvalid: () => (invalid += 1),
      listeners: { counted: (value) => counted.push(value) },
    });
    const handled: string[] = [];
    const emit = serveCalls<{ counted: number }>(
      theirs,
      (name, input) => {
        handled.push(name);
        return (input as number[]).reduce((sum, one) => sum + one, 0);
      },
      { parse: parseClientMessage },
    );
    expect(await client.call('add', [1, 2])).toBe(3);
    emit('counted', 4);
    for (const message of [7, { kind: 'event', name: 'counted', value: 'many' }, { kind: 'event', name: 'other' }]) {
      theirs.send(message);
    }
    ours.send({ kind: 'call', name: 'add' });
    expect([counted, invalid, handled]).toEqual([[4], 3, ['add']]);
  });
});
