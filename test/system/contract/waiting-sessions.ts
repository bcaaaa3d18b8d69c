import { beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/service/auth/account-store.ts';
import type { BackupSession } from '../../../src/service/backup/store/session.ts';
import type { MetadataStore } from '../../../src/service/metadata-store.ts';
import type { StoredDevice } from '../../../src/service/devices/device-store.ts';
import { deviceOf, digest, EVENT, HOUR, NOW, STATS, TOTALS } from './metadata-store.ts';

/** A manifest whose chunks were all announced. */
const manifestOf = (number: number) => ({ number, totals: TOTALS, bytesAnnounced: Number.MAX_SAFE_INTEGER });

/** The contract of every `MetadataStore` for waiting sessions. `open` creates an empty one. */
export function describeWaitingSessions(name: string, open: () => Promise<MetadataStore>): void {
  describe(`sessions that wait for their manifest: ${name}`, () => {
    let store: MetadataStore;
    let account: Account;
    let device: StoredDevice;
    beforeEach(async () => {
      store = await open();
      account = await store.accounts.createAccount(NOW);
      device = deviceOf(account, 'dev_1');
      await store.devices.register(device, NOW, EVENT);
    });
    const begin = (): Promise<BackupSession> =>
      store.sessions.begin({ accountId: account.id, deviceId: device.id, setName: 'docs', now: NOW });
    const complete = (session: BackupSession) =>
      store.sessions.complete(session.number, { now: NOW, stats: STATS, events: () => [EVENT] });
    const wait = (now = NOW) =>
      store.sessions.wait({ accountId: account.id, deviceId: device.id, setName: 'docs', now }, () => EVENT);
    const early = (session: BackupSession, ...names: string[]) =>
      store.chunks.needEarly(
        session,
        names.map((name) => ({ digest: digest(name), size: 7 })),
      );

    test('accept any chunk once, and return which are stored', async () => {
      const session = await wait();
      expect(session).toMatchObject({ state: 'waiting', setName: 'docs', createdAt: NOW });
      const [stored] = await store.chunks.resolve(account.number, [digest('stored')]);
      await store.chunks.markStored([{ id: stored!.id, size: 9, blobSize: 9 + 28 }]);
      const first = (await early(session, 'a', 'stored', 'b'))!;
      expect(first).toMatchObject([
        { digest: digest('a').toString('hex'), size: 7, stored: false },
        { id: stored!.id, size: 9, stored: true },
        { size: 7, stored: false },
      ]);
      const again = await store.chunks.needEarly(session, [{ digest: digest('a'), size: 8 }]);
      expect(again).toMatchObject([{ id: first[0]!.id, size: 7, stored: false }]);
      const page = await store.chunks.announced(session.number, 0);
      expect(page.ids).toEqual([first[0]!.id, first[2]!.id]);
      await early(session, 'c');
      expect((await store.chunks.announced(session.number, page.last)).ids).toHaveLength(1);
      const rest = await store.chunks.announced(session.number, page.last + 100);
      expect(rest).toEqual({ ids: [], last: page.last + 100 });
    });

    test('continue as the row that received the manifest, with their own id and start', async () => {
      const waiting = await wait(NOW - 5);
      await early(waiting, 'early');
      const receiving = await begin();
      const open = await store.sessions.continueWith(waiting.number, manifestOf(receiving.number));
      expect(open).toEqual({
        ...receiving,
        id: waiting.id,
        createdAt: NOW - 5,
        state: 'open',
        totals: TOTALS,
      });
      expect(await store.sessions.find(waiting.id)).toEqual(open);
      expect(await store.sessions.find(receiving.id)).toBeUndefined();
      expect(await early(waiting, 'late')).toBeUndefined();
      expect(await store.chunks.find(account.number, [digest('late')])).toEqual([undefined]);
      expect(await store.sessions.missingChunks(open!.number, 9)).toEqual([]);
      expect(await store.sessions.overdue(NOW, 9)).toEqual([]);
      expect(await store.sessions.fail(waiting.number, NOW, EVENT)).toBe(false);
      expect(await complete(open!)).toBeDefined();
    });

    test('accept one manifest, and none if either session has ended', async () => {
      const waiting = await wait();
      const [first, second] = [await begin(), await begin()];
      await store.sessions.fail(first.number, NOW, undefined);
      const resume = (number: number) => store.sessions.continueWith(waiting.number, manifestOf(number));
      expect(await resume(first.number)).toBeUndefined();
      expect((await store.sessions.find(waiting.id))?.state).toBe('waiting');
      expect((await resume(second.number))?.state).toBe('open');
      const third = await begin();
      expect(await resume(third.number)).toBeUndefined();
      expect((await store.sessions.find(third.id))?.state).toBe('receiving');
      const ended = await wait();
      expect(await store.sessions.fail(ended.number, NOW, EVENT)).toBe(true);
      expect(await store.sessions.continueWith(ended.number, manifestOf(third.number))).toBeUndefined();
      expect(await early(ended, 'a')).toBeUndefined();
    });

    test('are overdue like other sessions', async () => {
      const session = await wait(NOW - HOUR);
      expect((await store.sessions.overdue(NOW, 9)).map(({ id }) => id)).toEqual([session.id]);
    });

    test.each(['completed', 'failed'])('keep announced chunks until the continuing session has %s', async (end) => {
      const waiting = await wait();
      await early(waiting, 'kept', 'dropped');
      const [kept] = await store.chunks.find(account.number, [digest('kept')]);
      await store.chunks.markStored([{ id: kept!.id, size: 7, blobSize: 7 + 28 }]);
      const sweepAll = async (): Promise<string[]> => {
        const swept: string[] = [];
        for (let step = await store.sessions.sweep(); step; step = await store.sessions.sweep()) {
          swept.push(...step.map((chunk) => chunk.digest));
        }
        return swept;
      };
      expect(await sweepAll()).toEqual([]);
      const open = await store.sessions.continueWith(waiting.number, manifestOf((await begin()).number));
      expect(await sweepAll()).toEqual([]);
      if (end === 'completed') await complete(open!);
      else await store.sessions.fail(open!.number, NOW, EVENT);
      expect(await sweepAll()).toEqual([digest('dropped').toString('hex')]);
      expect(await store.chunks.find(account.number, [digest('kept')])).toEqual([
        { id: kept!.id, size: 7, blobSize: 35 },
      ]);
    });
  });
}
