import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import {
  BrokenConnection,
  INTERACTIVE_RETRY_POLICY,
  parseRetryAfter,
  Retrier,
  RetryableFailure,
} from '../../../../src/remote/http/retrier.ts';
import type { RetryPolicy, WaitingReason } from '../../../../src/remote/http/retrier.ts';
import { InstantClock } from '../instant-clock.ts';

const policy: RetryPolicy = { attempts: 5, firstPauseMs: 500, longestPauseMs: 60_000, maxWaitMs: 600_000 };
const broken = new HoldfastError('service_unreachable', { address: 'https://backup.example.org' }, { retryable: true });
const busy = new HoldfastError('service_busy', {}, { retryable: true });
const unreachable = (): RetryableFailure => new RetryableFailure('service_unreachable', false, broken);
const badAnswer = (retryAfterMs?: number): RetryableFailure =>
  new RetryableFailure('service_busy', true, busy, retryAfterMs);

/** Fails with these failures in turn, then succeeds. */
function failing(hindrances: readonly Error[]): { attempt: () => Promise<string>; tries: () => number } {
  let tries = 0;
  return {
    tries: () => tries,
    attempt: () => {
      tries += 1;
      const error = hindrances[tries - 1];
      return error ? Promise.reject(error) : Promise.resolve('done');
    },
  };
}

test('doubles pauses from half a second up to a minute', async () => {
  const clock = new InstantClock();
  const retrier = new Retrier({ clock, policy: { ...policy, attempts: 20 }, random: () => 0.999_999 });
  const { attempt } = failing(Array.from({ length: 10 }, () => badAnswer()));

  await expect(retrier.run(attempt)).resolves.toBe('done');

  expect(clock.slept.map(Math.ceil)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('applies full jitter to pauses', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat(6),
      async (random, failures) => {
        const clock = new InstantClock();
        const retrier = new Retrier({ clock, policy: { ...policy, attempts: 20 }, random: () => random });
        await retrier.run(failing(Array.from({ length: failures }, unreachable)).attempt);
        expect(clock.slept).toEqual(Array.from({ length: failures }, (_, index) => random * 500 * 2 ** index));
      },
    ),
  );
});

test('fails with the last error response when attempts are exhausted', async () => {
  const retrier = new Retrier({ clock: new InstantClock(), policy });
  const { attempt, tries } = failing(Array.from({ length: 9 }, () => badAnswer()));

  await expect(retrier.run(attempt)).rejects.toBe(busy);

  expect(tries()).toBe(5);
});

test('waits for an unreachable service as long as the policy allows', async () => {
  const clock = new InstantClock();
  const retrier = new Retrier({ clock, policy, random: () => 0.5 });
  const { attempt, tries } = failing(Array.from({ length: 1000 }, unreachable));

  await expect(retrier.run(attempt)).rejects.toBe(broken);

  const waited = clock.slept.reduce((sum, pause) => sum + pause, 0);
  expect(waited).toBeLessThanOrEqual(policy.maxWaitMs);
  expect(waited).toBeGreaterThan(policy.maxWaitMs - policy.longestPauseMs);
  expect(tries()).toBeGreaterThan(policy.attempts);
});

test('waits at least for Retry-After', async () => {
  const clock = new InstantClock();
  const retrier = new Retrier({ clock, policy, random: () => 0.5 });

  await retrier.run(failing([badAnswer(90_000)]).attempt);

  expect(clock.slept).toEqual([90_250]);
});

test('fails at once when Retry-After exceeds the policy', async () => {
  const clock = new InstantClock();
  const retrier = new Retrier({ clock, policy });

  await expect(retrier.run(failing([badAnswer(3_600_000)]).attempt)).rejects.toBe(busy);

  expect(clock.slept).toEqual([]);
});

test('fails at once with any other error', async () => {
  const retrier = new Retrier({ clock: new InstantClock(), policy });
  const { attempt, tries } = failing([new TypeError('a bug')]);

  await expect(retrier.run(attempt)).rejects.toThrow('a bug');

  expect(tries()).toBe(1);
});

test('reports waiting once while any call waits, and its end', async () => {
  const shown: (WaitingReason | undefined)[] = [];
  const retrier = new Retrier({ clock: new InstantClock(), policy, onWaiting: (reason) => shown.push(reason) });

  await Promise.all([
    retrier.run(failing([unreachable(), unreachable(), unreachable()]).attempt),
    retrier.run(failing([unreachable()]).attempt),
    retrier.run(failing([]).attempt),
  ]);

  expect(shown).toEqual(['service_unreachable', undefined]);
});

test("rejects with the abort's reason while waiting", async () => {
  const abort = new AbortController();
  const clock = new InstantClock();
  const retrier = new Retrier({ clock, policy });
  const reason = new HoldfastError('interrupted');
  let tries = 0;
  const attempt = (): Promise<never> => {
    tries += 1;
    if (tries === 3) abort.abort(reason);
    return Promise.reject(unreachable());
  };

  await expect(retrier.run(attempt, abort.signal)).rejects.toBe(reason);

  expect(tries).toBe(3);
});

const now = Date.parse('2026-03-01T12:00:00Z');
test.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Sun, 01 Mar 2026 12:01:30 GMT', 90_000],
  ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['', undefined],
  [undefined, undefined],
] as const)('Retry-After %o is %o ms', (header, milliseconds) => {
  expect(parseRetryAfter(header, now)).toBe(milliseconds);
});

test('ends the pauses of other calls when one reaches the service', async () => {
  const sleeping: { readonly signal: AbortSignal }[] = [];
  const clock = {
    now: () => 0,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((__, reject) => {
        sleeping.push({ signal: signal! });
        signal!.addEventListener('abort', () => reject(signal!.reason as Error));
      }),
  };
  const retrier = new Retrier({ clock, policy });
  const first = retrier.run(failing([unreachable()]).attempt, undefined, 'storage');
  const second = retrier.run(failing([unreachable()]).attempt, new AbortController().signal, 'storage');
  const other = failing([unreachable()]);
  const left = new AbortController();
  const elsewhere = retrier.run(other.attempt, left.signal);
  await new Promise(setImmediate);
  expect(sleeping).toHaveLength(3);
  await retrier.run(() => Promise.resolve('through'), undefined, 'storage');
  expect(await Promise.all([first, second])).toEqual(['done', 'done']);
  // A reachable storage says nothing about the service.
  expect(other.tries()).toBe(1);
  left.abort(new Error('left'));
  await expect(elsewhere).rejects.toThrow('left');
});

describe('attempts that end in silence', () => {
  /** An attempt that takes a while until it fails. */
  function stalling(clock: InstantClock, milliseconds: number, failure = unreachable) {
    let tries = 0;
    const attempt = (): Promise<never> => {
      tries += 1;
      clock.advance(milliseconds);
      return Promise.reject(failure());
    };
    return { attempt, tries: () => tries };
  }
  const store: RetryPolicy = { ...policy, maxWaitMs: 120_000 };

  test('count as waiting', async () => {
    const clock = new InstantClock();
    const began = clock.now();
    const { attempt, tries } = stalling(clock, 30_000);

    await expect(new Retrier({ clock, policy: store }).run(attempt)).rejects.toBe(broken);

    expect(tries()).toBe(4);
    expect(clock.now() - began).toBeLessThanOrEqual(store.maxWaitMs + 30_000);
  });

  test('are not repeated by what a person waits for', async () => {
    const clock = new InstantClock();
    const { attempt, tries } = stalling(clock, 30_000);

    await expect(new Retrier({ clock, policy: INTERACTIVE_RETRY_POLICY }).run(attempt)).rejects.toBe(broken);

    expect(tries()).toBe(1);
    expect(clock.slept).toEqual([]);
  });

  test('count for no more than a connection can be silent, since the computer may have slept', async () => {
    const clock = new InstantClock();
    const failures = [8 * 3_600_000, 0];
    const attempt = (): Promise<string> => {
      const lasting = failures.shift();
      if (lasting === undefined) return Promise.resolve('done');
      clock.advance(lasting);
      return Promise.reject(unreachable());
    };

    await expect(new Retrier({ clock, policy: store }).run(attempt)).resolves.toBe('done');
  });

  test('are told from a transfer that was under way until its connection broke', async () => {
    const clock = new InstantClock();
    const { attempt, tries } = stalling(clock, 50_000, () => new BrokenConnection(false, broken));

    await expect(new Retrier({ clock, policy: store, random: () => 0.5 }).run(attempt)).rejects.toBe(broken);

    expect(tries()).toBeGreaterThan(7);
  });

  test('count although the service was connected', async () => {
    const clock = new InstantClock();
    const silent = () => new RetryableFailure('service_unreachable', true, broken);
    const { attempt, tries } = stalling(clock, 60_000, silent);

    await expect(new Retrier({ clock, policy: store }).run(attempt)).rejects.toBe(broken);

    expect(tries()).toBe(2);
  });
});

describe('a target that one call has waited for in vain', () => {
  async function gaveUp(clock: InstantClock, failure = unreachable) {
    const retrier = new Retrier({ clock, policy: INTERACTIVE_RETRY_POLICY });
    await expect(retrier.run(failing(Array.from({ length: 99 }, failure)).attempt)).rejects.toBe(broken);
    return retrier;
  }

  test('is not asked again for a moment', async () => {
    const clock = new InstantClock();
    const retrier = await gaveUp(clock);
    const next = failing([]);

    await expect(retrier.run(next.attempt)).rejects.toBe(broken);
    expect(next.tries()).toBe(0);
    // The other target may be reachable.
    await expect(retrier.run(next.attempt, undefined, 'storage')).resolves.toBe('done');
    clock.advance(10_000);
    await expect(retrier.run(next.attempt)).resolves.toBe('done');
  });

  test('is asked by a request that is sent once, and then again by all', async () => {
    const retrier = await gaveUp(new InstantClock());

    await expect(retrier.once(failing([unreachable()]).attempt)).rejects.toBe(broken);
    await expect(retrier.run(failing([]).attempt)).rejects.toBe(broken);
    await expect(retrier.once(failing([]).attempt)).resolves.toBe('done');
    await expect(retrier.run(failing([]).attempt)).resolves.toBe('done');
  });

  test('is asked again if connections break: others may be fine', async () => {
    const retrier = await gaveUp(new InstantClock(), () => new BrokenConnection(false, broken));

    await expect(retrier.run(failing([]).attempt)).resolves.toBe('done');
  });

  test('is asked again if another call has reached it meanwhile', async () => {
    const retrier = new Retrier({ clock: new InstantClock(), policy });
    const attempt = async (number: number): Promise<never> => {
      if (number === 2) await retrier.run(failing([]).attempt);
      throw unreachable();
    };

    await expect(retrier.run(attempt)).rejects.toBe(broken);
    await expect(retrier.run(failing([]).attempt)).resolves.toBe('done');
  });

  test('ends the waiting of other calls', async () => {
    const sleeping = Promise.withResolvers<void>();
    const clock = {
      now: () => 0,
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((__, reject) => {
          sleeping.resolve();
          signal!.addEventListener('abort', () => reject(signal!.reason as Error));
        }),
    };
    const retrier = new Retrier({ clock, policy: { ...policy, maxWaitMs: 400 }, random: () => pauses.shift() ?? 1 });
    const pauses = [0.5];
    const other = failing([unreachable()]);
    const waiting = retrier.run(other.attempt);
    await sleeping.promise;

    await expect(retrier.run(failing([unreachable(), unreachable()]).attempt)).rejects.toBe(broken);

    await expect(waiting).rejects.toBe(broken);
    expect(other.tries()).toBe(1);
  });
});
