import { describe, expect, test } from 'vitest';
import { BlobIntake, type ArrivingBlob } from '../../../../src/service/backup/blob-intake.ts';
import type { ObjectStore } from '../../../../src/service/objects/object-store.ts';
import type { ChunkStore } from '../../../../src/service/backup/store/chunk-store.ts';

/** Stores that record calls, and whose flushes end when the test resolves them. */
class Recorded {
  readonly events: string[] = [];
  readonly flushes: { readonly finish: () => void; readonly fail: (error: Error) => void }[] = [];
  readonly intake = new BlobIntake(this.#objects(), this.#chunks());

  #objects(): ObjectStore {
    const unused = () => Promise.reject(new Error('not used here'));
    return {
      put: async (blobs) => void this.events.push(`put ${blobs.map(({ key }) => key.chunkId).join(' ')}`),
      flush: () =>
        new Promise((resolve, reject) => {
          this.events.push('flush');
          this.flushes.push({ finish: resolve, fail: reject });
        }),
      receive: unused,
      get: unused,
      part: unused,
      delete: unused,
      close: unused,
    };
  }

  #chunks(): ChunkStore {
    const store: Pick<ChunkStore, 'markStored'> = {
      markStored: async (chunks) =>
        void this.events.push(
          `stored ${chunks.map(({ id, size, blobSize }) => `${id}:${size}:${blobSize}`).join(' ')}`,
        ),
    };
    return store as ChunkStore;
  }

  /** The oldest flush that is still pending. */
  async flush(): Promise<(typeof this.flushes)[number]> {
    for (;;) {
      const flush = this.flushes.shift();
      if (flush) return flush;
      await new Promise(setImmediate);
    }
  }
}

function blob(chunkId: number, size = 128): ArrivingBlob {
  const plaintextSize = 1000;
  return {
    plaintextSize,
    key: { accountId: 'acc', chunkId, digest: String(chunkId), size },
    bytes: new Uint8Array(size),
  };
}

describe('blobs of one chunk', () => {
  test('keep the first one and return it, however they arrive', async () => {
    const { intake, events } = stores();
    const [kept, keptToo] = await Promise.all([
      intake.put([blob(1), blob(2), blob(1)]),
      intake.put([blob(2), blob(3)]),
    ]);
    expect([...kept, ...keptToo].map(({ key }) => key.chunkId)).toEqual([1, 2, 3]);
    expect(await intake.put([blob(3)])).toEqual([]);
    expect(events).toEqual(['put 1 2', 'put 3']);
  });
});

describe('chunks count as stored', () => {
  test('only after their blobs are durable', async () => {
    const { intake, events, ...recorded } = stores();
    await intake.put([blob(1), blob(2)]);
    expect([intake.has(1), intake.has(3)]).toEqual([true, false]);
    const settled = intake.settle();
    const flush = await recorded.flush();
    expect(events).toEqual(['put 1 2', 'flush']);
    expect(intake.has(1)).toBe(true);
    flush.finish();
    await settled;
    expect(events).toEqual(['put 1 2', 'flush', 'stored 1:1000:128 2:1000:128']);
    expect(intake.has(1)).toBe(false);
  });

  test('never if the disk failed', async () => {
    const { intake, events, ...recorded } = stores();
    await intake.put([blob(1)]);
    const settled = intake.settle();
    (await recorded.flush()).fail(new Error('EIO'));
    await expect(settled).rejects.toThrow('EIO');
    expect(intake.has(1)).toBe(false);
    await intake.settle();
    expect(events).toEqual(['put 1', 'flush']);
  });

  test('after the settling that began after their arrival, which all waiting calls share', async () => {
    const { intake, events, ...recorded } = stores();
    await intake.put([blob(1)]);
    const first = intake.settle();
    const firstFlush = await recorded.flush();
    await intake.put([blob(2)]);
    const second = intake.settle();
    await intake.put([blob(3)]);
    const third = intake.settle();
    expect(events).toEqual(['put 1', 'flush', 'put 2', 'put 3']);
    firstFlush.finish();
    await first;
    (await recorded.flush()).finish();
    await Promise.all([second, third]);
    expect(events.slice(4)).toEqual(['stored 1:1000:128', 'flush', 'stored 2:1000:128 3:1000:128']);
  });

  test('in the background once many have arrived, and a failure there is thrown by the next call', async () => {
    const { intake, events, ...recorded } = stores();
    await intake.put([blob(1, 64 * 2 ** 20)]);
    const flush = await recorded.flush();
    expect(events).toEqual(['put 1', 'flush']);
    flush.fail(new Error('EIO'));
    await expect(intake.settle()).resolves.toBeUndefined();
    await expect(intake.put([blob(2)])).rejects.toMatchObject({ code: 'internal' });
    await intake.put([blob(2)]);
  });

  test('once: a blob that arrives again while it is written, or was just settled, is not written again', async () => {
    const { intake, events, ...recorded } = stores();
    await Promise.all([intake.put([blob(1), blob(2)]), intake.put([blob(2), blob(3)])]);
    expect(events.filter((event) => event.startsWith('put')).toSorted()).toEqual(['put 1 2', 'put 3']);
    const settled = intake.settle();
    (await recorded.flush()).finish();
    await settled;
    const late = { keep: () => Promise.reject(new Error('kept')), discard: () => Promise.resolve() };
    expect(await intake.keep(blob(1).key, 1000, late)).toBe(false);
    intake.forget([1]);
    await expect(intake.keep(blob(1).key, 1000, late)).rejects.toThrow('kept');
  });
});

function stores() {
  const recorded = new Recorded();
  return { intake: recorded.intake, events: recorded.events, flush: () => recorded.flush() };
}
