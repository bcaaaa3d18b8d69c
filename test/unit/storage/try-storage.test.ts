import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { tryStorage } from '../../../src/storage/try-storage.ts';
import { FaultyStorage } from '../../helpers/storage/faulty-storage.ts';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';

/** A store in memory that behaves differently. */
function storeWith(changes: (inner: MemoryStorage) => Partial<Storage>): { storage: Storage; inner: MemoryStorage } {
  const inner = new MemoryStorage();
  const calls: Storage = {
    address: inner.address,
    concurrency: 1,
    list: (prefix, signal) => inner.list(prefix, signal),
    get: (name, range, signal) => inner.get(name, range, signal),
    put: (name, parts, signal) => inner.put(name, parts, signal),
    delete: (name, signal) => inner.delete(name, signal),
    [Symbol.asyncDispose]: async () => {},
  };
  return { storage: { ...calls, ...changes(inner) }, inner };
}

const denied = new HoldfastError('permission_denied', { address: 'memory:' });

describe('the trial of a store', () => {
  test('finds nothing wrong with a good store, and leaves nothing', async () => {
    const storage = new MemoryStorage();
    expect(await tryStorage(storage)).toEqual({ refusesExisting: true, deletes: true });
    expect(storage.files.size).toBe(0);
  });

  test('finds out that existing files are replaced', async () => {
    const { storage, inner } = storeWith((store) => ({
      put: async (name, parts) => {
        store.files.delete(name);
        return store.put(name, parts);
      },
    }));
    expect(await tryStorage(storage)).toEqual({ refusesExisting: false, deletes: true });
    expect(inner.files.size).toBe(0);
  });

  test.each([
    [
      'refuses',
      async () => {
        throw denied;
      },
    ],
    ['ignores', async () => {}],
  ])('finds out that the store %s deletions', async (_, remove) => {
    const { storage } = storeWith(() => ({ delete: remove }));
    expect(await tryStorage(storage)).toEqual({ refusesExisting: true, deletes: false });
  });

  test.each([
    ['write', 'put', 1],
    ['read', 'get', 1],
    ['read', 'get', 2],
    ['refuse', 'put', 2],
    ['refuse', 'get', 3],
    ['list', 'list', 1],
    ['delete', 'get', 5],
  ] as const)('names the step %s when %s number %i fails, and removes the file', async (step, method, call) => {
    const storage = new FaultyStorage();
    storage.plan(method, call, { kind: 'fail-before', error: denied });
    await expect(tryStorage(storage)).rejects.toMatchObject({ step, problem: undefined, cause: denied });
    expect(storage.unfired).toEqual([]);
    expect(storage.effects.filter(({ kind }) => kind === 'put')).toHaveLength(
      storage.effects.filter(({ kind }) => kind === 'delete').length,
    );
  });

  test('names the step when a deletion fails for another reason than a missing right', async () => {
    const storage = new FaultyStorage();
    const error = new HoldfastError('service_unreachable', { address: 'memory:' });
    storage.plan('delete', 1, { kind: 'fail-before', error });
    await expect(tryStorage(storage)).rejects.toMatchObject({ step: 'delete', cause: error });
  });

  test.each([
    ['the whole file', 'read', 1],
    ['a range', 'read', 2],
    ['a file that was not to be replaced', 'refuse', 3],
  ] as const)('reports other bytes for %s', async (_, step, call) => {
    for (const alter of [(bytes: Uint8Array) => bytes.map((byte) => byte ^ 1), () => undefined]) {
      const storage = new FaultyStorage();
      storage.plan('get', call, { kind: 'alter', alter });
      await expect(tryStorage(storage)).rejects.toMatchObject({ step, problem: 'altered' });
    }
  });

  test('reports a file that is not listed, or with another size', async () => {
    const unlisted = storeWith(() => ({ list: () => new MemoryStorage().list('') }));
    await expect(tryStorage(unlisted.storage)).rejects.toMatchObject({ step: 'list', problem: 'unlisted' });
    const resized = storeWith((inner) => ({
      list: async function* list(prefix: string) {
        for await (const batch of inner.list(prefix))
          yield batch.map(({ name, bytes, created }) => ({ name, bytes: bytes + 1, created }));
      },
    }));
    await expect(tryStorage(resized.storage)).rejects.toMatchObject({ step: 'list', problem: 'unlisted' });
  });

  test('ends with the reason of its signal', async () => {
    await expect(tryStorage(new MemoryStorage(), AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
