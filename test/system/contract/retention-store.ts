import { beforeEach, describe, expect, test } from 'vitest';
import type { CollectionStore } from '../../../src/service/retention/collection-store.ts';
import type { BackupSession } from '../../../src/service/backup/store/session.ts';
import type { FileVersion } from '../../../src/service/backup/store/tree-store.ts';
import type { MetadataStore } from '../../../src/service/metadata-store.ts';
import { allocateChunks, writeChunk, writeChunkId } from '../../../src/service/backup/store/packed-chunks.ts';
import type { SetReference } from '../../../src/service/retention/retention-facts.ts';
import type { RetentionStore } from '../../../src/service/retention/retention-store.ts';
import { deviceOf, digest, EVENT, HOUR, NOW, STATS, TOTALS } from './metadata-store.ts';

const POLICY = { keep_all_days: 1, hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC' };

/** The contract of the stores of retention. `open` creates an empty metadata store, which is closed after the test. */
export function describeRetentionStores(name: string, open: () => Promise<MetadataStore>): void {
  describe(`retention stores: ${name}`, () => {
    let store: MetadataStore;
    let retention: RetentionStore;
    let collection: CollectionStore;
    let account: { readonly id: string; readonly number: number };
    let set: SetReference;
    const begin = (now = NOW): Promise<BackupSession> =>
      store.sessions.begin({ accountId: account.id, deviceId: 'dev_1', setName: 'docs', now });
    const backUp = async (now: number, ...versions: FileVersion[]): Promise<BackupSession> => {
      const session = await begin(now);
      const ends = await store.trees.range({
        setNumber: session.setNumber,
        sequence: session.base,
        after: '',
        limit: 9,
      });
      await store.trees.stage(session, { versions, ends, continued: [] });
      await store.sessions.open(session.number, TOTALS, EVENT, now);
      await store.sessions.complete(session.number, { now, stats: STATS, events: () => [] });
      return session;
    };
    const version = async (pathKey: string, text: string): Promise<FileVersion> => {
      const [row] = await store.chunks.resolve(account.number, [digest(text)]);
      await store.chunks.markStored([{ id: row!.id, size: text.length, blobSize: text.length + 28 }]);
      const chunks = allocateChunks(1);
      writeChunk(chunks, 0, `sha256:${digest(text).toString('hex')}`, text.length);
      writeChunkId(chunks, 0, row!.id);
      return { pathKey, size: text.length, modified: NOW, chunks };
    };
    beforeEach(async () => {
      store = await open();
      retention = store.retention;
      collection = store.collection;
      account = await store.accounts.createAccount(NOW);
      await store.devices.register(deviceOf({ ...account, storageUsed: 0 }, 'dev_1'), NOW, EVENT);
      const { setNumber, number } = await begin();
      await store.sessions.fail(number, NOW, undefined);
      set = { accountId: account.id, setNumber };
    });

    test('keeps settings, and never shortens a minimum', async () => {
      await retention.setPolicy(set.setNumber, POLICY, NOW);
      expect(await retention.lengthen({ setNumber: set.setNumber }, 5)).toBe(5);
      expect(await retention.lengthen({ setNumber: set.setNumber }, 4)).toBe(5);
      expect(await retention.lengthen({ accountId: account.id }, 7)).toBe(7);
      expect(await retention.lengthen({ accountId: account.id }, 0)).toBe(7);
      await retention.hold(account.id, NOW);
      await retention.hold(account.id, NOW + 1);
      const { settings } = await retention.facts(set, NOW);
      expect(settings).toEqual({
        policy: POLICY,
        policySince: undefined,
        setMinimumDays: 5,
        accountMinimumDays: 7,
        heldAt: NOW,
      });
      expect(await retention.isHeld(account.id)).toBe(true);
      await retention.release(account.id);
      expect(await retention.isHeld(account.id)).toBe(false);
      expect(await retention.due(NOW)).toEqual([]);
      expect(await retention.due(NOW + 1)).toEqual([set]);
      await retention.applied(set.setNumber, NOW + 1);
      expect(await retention.due(NOW + 1)).toEqual([]);
      await backUp(NOW + HOUR, await version('a', 'one'));
      await retention.setPolicy(set.setNumber, undefined, NOW);
      const { policy, policySince } = (await retention.facts(set, NOW)).settings;
      expect({ policy, policySince }).toEqual({ policy: undefined, policySince: NOW + HOUR });
    });

    test('removes restore points, and the versions that no tree contains', async () => {
      const long = 'x'.repeat(700);
      const first = await backUp(NOW, await version('a', 'one'), await version(long, 'two'));
      const open = await begin(NOW);
      const second = await backUp(NOW + HOUR, await version('a', 'three'), await version(`${long}y`, 'four'));
      await retention.pin(second.number, NOW);
      await retention.pin(second.number, NOW);
      const third = await backUp(NOW + 2 * HOUR, await version('b', 'five'));
      const { points, runs } = await retention.facts(set, NOW);
      expect(points.map(({ session, pinned, inUse }) => ({ session, pinned, inUse }))).toEqual([
        { session: first.number, pinned: false, inUse: true },
        { session: second.number, pinned: true, inUse: false },
        { session: third.number, pinned: false, inUse: false },
      ]);
      expect(runs.map(({ restorePoint }) => restorePoint).toSorted((a, b) => a - b)).toEqual([
        NOW,
        NOW + HOUR,
        NOW + 2 * HOUR,
      ]);
      expect(await retention.remove(set, NOW, () => [first.number, second.number])).toEqual([
        first.number,
        second.number,
      ]);
      expect((await store.sessions.restorePoints(set.setNumber)).map(({ restorePoint }) => restorePoint)).toEqual([
        NOW + 2 * HOUR,
      ]);
      expect(await store.sessions.restorePointAt(set.setNumber, NOW + HOUR)).toBeUndefined();
      expect((await store.sessions.findSet('dev_1', 'docs'))?.lastRestorePoint).toBe(NOW + 2 * HOUR);
      expect(await retention.pin(first.number, NOW)).toBe(false);
      // A session is still relative to the first one.
      await retention.settle(set.setNumber);
      expect(await retention.sequences(set.setNumber)).toEqual([points[0]!.sequence, points[2]!.sequence]);
      expect(await retention.uncleared(set.setNumber)).toEqual([second.number]);
      await store.sessions.fail(open.number, NOW, undefined);
      expect(await retention.sequences(set.setNumber)).toEqual([points[2]!.sequence]);
      expect(await retention.unclearedSets()).toEqual([set]);
      const read = [];
      for (let after; ; after = read.at(-1)) {
        const page = await retention.versions(set.setNumber, after, 2);
        read.push(...page);
        if (page.length < 2) break;
      }
      expect(read.map(({ pathKey, from, to }) => [pathKey, from, to])).toEqual([
        ['a', points[0]!.sequence, points[1]!.sequence],
        ['a', points[1]!.sequence, points[2]!.sequence],
        ['b', points[2]!.sequence, undefined],
        [long, points[0]!.sequence, points[1]!.sequence],
        [`${long}y`, points[1]!.sequence, points[2]!.sequence],
      ]);
      await retention.deleteVersions(
        set.setNumber,
        read.filter(({ to }) => to !== undefined),
      );
      expect((await retention.versions(set.setNumber, undefined, 9)).map(({ pathKey }) => pathKey)).toEqual(['b']);
      await retention.cleared(await retention.uncleared(set.setNumber));
      expect(await retention.unclearedSets()).toEqual([]);
    });

    test('drops a condemned chunk that was never reported to a client, once all earlier sessions have ended', async () => {
      const texts = ['gone', 'spared', 'needed'];
      const rows = await store.chunks.resolve(account.number, texts.map(digest));
      const [gone, spared, needed] = rows.map(({ id }) => id) as [number, number, number];
      await store.chunks.markStored([gone, spared].map((id) => ({ id, size: 10, blobSize: 38 })));
      const session = await begin();
      expect(await collection.state()).toEqual({ drops: 0, pending: false });
      const mark = await collection.begin(account.id, NOW);
      await collection.condemn(mark, [gone, spared, needed]);
      expect(await collection.due(account.id, NOW - 1)).toEqual([]);
      const again = await collection.begin(account.id, NOW);
      await collection.condemn(again, [gone, spared, needed]);
      await collection.finish(again, NOW);
      expect(await collection.freeing(account.id)).toEqual([{ condemnedAt: NOW, bytes: 76 }]);
      // An earlier session is open.
      expect(await collection.due(account.id, NOW)).toEqual([]);
      const later = await begin();
      await store.sessions.fail(session.number, NOW, undefined);
      expect(await collection.due(account.id, NOW)).toEqual([{ mark: again, condemnedAt: NOW }]);
      await store.chunks.need(later, [{ id: needed, size: 10 }]);
      expect(await collection.spare([spared])).toEqual({ drops: 0, pending: true });
      expect(await collection.condemned(again, 0, 9)).toEqual([gone, needed].toSorted((a, b) => a - b));
      await retention.hold(account.id, NOW);
      await collection.drop(again, [gone, spared, needed]);
      expect(await collection.dropped(9)).toEqual([]);
      await retention.release(account.id);
      await collection.drop(again, [gone, spared, needed]);
      expect(await collection.state()).toEqual({ drops: 1, pending: false });
      const key = { accountId: account.id, chunkId: gone, digest: digest('gone').toString('hex'), size: 38 };
      expect(await collection.dropped(9)).toEqual([key]);
      expect((await store.accounts.findAccount(account.id))!.storageUsed).toBe(38);
      const left = await store.chunks.find(account.number, texts.map(digest));
      expect(left.map((row) => row?.id)).toEqual([undefined, spared, needed]);
      await collection.deleted([gone]);
      await collection.forget(again);
      expect(await collection.dropped(9)).toEqual([]);
      await collection.collected(account.id, NOW);
      expect(await collection.collectedAt(account.id)).toBe(NOW);
      const listed = await collection.chunks(account.number, Buffer.alloc(0), 9);
      expect(listed.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([spared, needed]);
    });
  });
}
