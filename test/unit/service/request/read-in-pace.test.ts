import { describe, expect, test } from 'vitest';
import { ByteBudget } from '../../../../src/service/request/byte-budget.ts';
import { readInPace } from '../../../../src/service/request/read-in-pace.ts';

const PACE = { nextWithin: 20, freely: 0, bytesPerSecond: 0 };
const LIMITS = { request: 100, account: 200, total: 200 };

async function* bodyOf(...pieces: readonly (string | Promise<string>)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(await piece);
}

const never = new Promise<string>(() => undefined);

describe('a body that is read in pace', () => {
  test('is held by its lease as far as it has arrived', async () => {
    const budget = new ByteBudget(LIMITS);
    const lease = budget.lease('a');
    expect(Buffer.from(await readInPace(bodyOf('one', 'two', ''), lease)).toString()).toBe('onetwo');
    const other = budget.lease('a');
    expect(() => other.reserve(101)).toThrow(expect.objectContaining({ code: 'too_large' }));
    other.reserve(100);
    const third = budget.lease('b');
    expect(() => third.reserve(95)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    lease.release();
    third.reserve(95);
  });

  test('ends when nothing arrives, or when it holds too much', async () => {
    const budget = new ByteBudget(LIMITS);
    const late = readInPace(bodyOf('one', never), budget.lease('a'), PACE);
    await expect(late).rejects.toMatchObject({ code: 'request_timeout' });
    const tooMuch = readInPace(bodyOf('x'.repeat(60), 'x'.repeat(60)), budget.lease('c'), PACE);
    await expect(tooMuch).rejects.toMatchObject({ code: 'too_large' });
  });

  test('ends when it comes byte by byte', async () => {
    const budget = new ByteBudget(LIMITS);
    const pace = { ...PACE, nextWithin: 60_000, bytesPerSecond: 1e12 };
    const slow = readInPace(bodyOf('x', 'x', 'x'), budget.lease('a'), pace);
    await expect(slow).rejects.toMatchObject({ code: 'request_timeout' });
  });
});

describe('a fair budget', () => {
  test('leaves room for further accounts, however many hold all that they get', () => {
    const budget = new ByteBudget({ request: 10, account: 1024, total: 1024, isFair: true });
    const fill = (account: string): number => {
      for (let held = 0; ; held += 1) {
        try {
          budget.lease(account).reserve(1);
        } catch {
          return held;
        }
      }
    };
    expect(['a', 'b', 'c', 'd'].map(fill)).toEqual([512, 256, 128, 64]);
    // Those that have their share get no more.
    expect(fill('a')).toBe(0);
    expect(fill('e')).toBe(32);
  });
});
