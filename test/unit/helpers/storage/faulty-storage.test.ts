import { describe, expect, test } from 'vitest';
import { describeStorage, listed } from '../../storage/contract.ts';
import { FaultyStorage, replayed } from '../../../helpers/storage/faulty-storage.ts';
import { MemoryStorage } from '../../../helpers/storage/memory-storage.ts';

const bytes = (text: string) => [Buffer.from(text)];
const broken = new Error('broken');

describeStorage('faulty, without faults', async () => {
  const { files } = new MemoryStorage();
  await new MemoryStorage(files).put('holdfast.json', bytes('{}'));
  return { open: async () => new FaultyStorage(new MemoryStorage(files)) };
});

describe('faulty storage', () => {
  test('fails the n-th call before or after it took effect', async () => {
    const storage = new FaultyStorage();
    storage.plan('put', 2, { kind: 'fail-before', error: broken });
    storage.plan('put', 3, { kind: 'fail-after', error: broken });
    expect(await storage.put('a', bytes('a'))).toBe('created');
    await expect(storage.put('b', bytes('b'))).rejects.toBe(broken);
    await expect(storage.put('c', bytes('c'))).rejects.toBe(broken);
    expect((await listed(storage, '')).map(({ name }) => name)).toEqual(['a', 'c']);
    expect(storage.calls).toEqual({ list: 1, get: 0, put: 3, delete: 0 });
    expect(storage.unfired).toEqual([]);
  });

  test('reports faults that were not reached', () => {
    const storage = new FaultyStorage();
    storage.plan('get', 1, { kind: 'truncate', bytes: 1 });
    expect(storage.unfired).toHaveLength(1);
  });

  test('truncates and alters what is read, and delays', async () => {
    const storage = new FaultyStorage();
    await storage.put('a', bytes('abc'));
    storage.plan('get', 1, { kind: 'truncate', bytes: 2 });
    storage.plan('get', 2, { kind: 'alter', alter: () => Buffer.from('xyz') });
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    storage.plan('get', 3, { kind: 'delay', until: released });
    expect(Buffer.from((await storage.get('a'))!).toString()).toBe('ab');
    expect(Buffer.from((await storage.get('a'))!).toString()).toBe('xyz');
    const order: string[] = [];
    const delayed = storage.get('a').then(() => order.push('delayed'));
    await storage.get('a');
    order.push('other');
    release();
    await delayed;
    expect(order).toEqual(['other', 'delayed']);
  });

  test('yields an older listing', async () => {
    const storage = new FaultyStorage();
    await storage.put('x/a', bytes('a'));
    await listed(storage, '');
    await storage.put('x/b', bytes('b'));
    storage.plan('list', 2, { kind: 'stale', call: 1 });
    expect((await listed(storage, 'x/')).map(({ name }) => name)).toEqual(['x/a']);
    expect((await listed(storage, 'x/')).map(({ name }) => name)).toEqual(['x/a', 'x/b']);
  });

  test('fails every call after a number of changes, however many are under way', async () => {
    const storage = new FaultyStorage();
    storage.dieAfter(2, broken);
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => storage.put(name, bytes(name))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    await expect(storage.get('a')).rejects.toBe(broken);
    expect(storage.effects).toHaveLength(2);
  });

  test('replays each prefix of the changes', async () => {
    const storage = new FaultyStorage();
    await storage.put('a', bytes('a'));
    await storage.put('a', bytes('ignored'));
    await storage.put('b', bytes('b'));
    await storage.delete('a');
    const states = [0, 1, 2, 3].map((count) => Array.from(replayed(storage.effects.slice(0, count)).keys()));
    expect(states).toEqual([[], ['a'], ['a', 'b'], ['b']]);
  });
});
