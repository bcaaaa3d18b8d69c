import { describe, expect, test } from 'vitest';
import { RecentCache } from '../../../src/mount/recent-cache.ts';

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

describe('a cache of what was used last', () => {
  test('evicts what was not used for longest, and stays below its limit', async () => {
    const cache = new RecentCache<string>(30);
    const load = (value: string) => async (): Promise<{ value: string; weight: number }> => ({ value, weight: 10 });
    for (const key of ['a', 'b', 'c']) await cache.get(key, load(key));
    await cache.get('a', load('again'));
    await cache.get('d', load('d'));
    await settle();
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.has(key))).toEqual(['a', 'c', 'd']);
    expect(cache.weight).toBe(30);
    expect(await cache.get('a', load('again'))).toBe('a');
    await cache.get('huge', async () => ({ value: 'huge', weight: 1000 }));
    await settle();
    expect(cache.weight).toBe(0);
  });

  test('shares a load, and does not keep a failure', async () => {
    const cache = new RecentCache<number>(10);
    let loads = 0;
    const fail = async (): Promise<never> => {
      loads += 1;
      throw new Error('away');
    };
    const both = [cache.get('a', fail), cache.get('a', fail)];
    await Promise.allSettled(both.map(async (each) => each));
    expect(loads).toBe(1);
    expect(await cache.get('a', async () => ({ value: 1, weight: 1 }))).toBe(1);
  });

  test('counts nothing of what was deleted while it was loaded', async () => {
    const cache = new RecentCache<number>(10);
    const { promise, resolve } = Promise.withResolvers<{ value: number; weight: number }>();
    const value = cache.get('a', () => promise);
    cache.delete('a');
    resolve({ value: 1, weight: 5 });
    expect(await value).toBe(1);
    await settle();
    expect(cache.weight).toBe(0);
  });
});
