import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EmittedEvent } from '../../../src/protocol/webhooks.ts';
import type { Account } from '../../../src/service/auth/account-store.ts';
import type { BackupSession } from '../../../src/service/backup/store/session.ts';
import type { FileVersion, StoredVersion } from '../../../src/service/backup/store/tree-store.ts';
import type { MetadataStore } from '../../../src/service/metadata-store.ts';
import type { StoredDevice } from '../../../src/service/devices/device-store.ts';
import { allocateChunks, writeChunk, writeChunkId } from '../../../src/service/backup/store/packed-chunks.ts';

export const NOW = Date.parse('2026-03-01T10:00:00.000Z');
export const HOUR = 3_600_000;
export const STATS = {
  files_processed: 1,
  chunks_new: 1,
  chunks_deduped: 0,
  bytes_scanned: 1,
  bytes_uploaded: 1,
  duration_seconds: 1,
};
export const TOTALS = { files: 2, bytes: 30, bytesNeeded: 10, chunksNeeded: 1, chunksDeduped: 1, treeBytes: 0 };
export const EVENT: EmittedEvent = {
  event: 'device.registered',
  data: { device_id: 'd', device_name: 'n', os: 'o', agent_version: '1', registered_at: '2026-01-01T00:00:00.000Z' },
};

/** The contract of every `MetadataStore`. `open` creates an empty one, which is closed after the test. */
export function describeMetadataStore(name: string, open: () => Promise<MetadataStore>): void {
  describe(`metadata store: ${name}`, () => {
    let store: MetadataStore;
    let account: Account;
    let device: StoredDevice;
    beforeEach(async () => {
      store = await open();
      account = await store.accounts.createAccount(NOW);
      device = deviceOf(account, 'dev_1');
      await store.devices.register(device, NOW, EVENT);
    });
    const begin = (setName = 'docs', now = NOW): Promise<BackupSession> =>
      store.sessions.begin({ accountId: account.id, deviceId: device.id, setName, now });
    const complete = (session: BackupSession, now = NOW) =>
      store.sessions.complete(session.number, { now, stats: STATS, events: () => [EVENT] });
    const openSession = async (setName?: string, now = NOW): Promise<BackupSession> => {
      const session = await begin(setName, now);
      await store.sessions.open(session.number, TOTALS, EVENT, now);
      return session;
    };
    const treeOf = async (setNumber: number, sequence: number): Promise<string[]> => {
      const versions = await store.trees.range({ setNumber, sequence, after: '', limit: 100 });
      return versions.map(({ pathKey, size }) => `${pathKey}:${size}`);
    };

    describe('secrets and accounts', () => {
      test('creates a secret once', async () => {
        const first = await store.secret('one', 32);
        expect(first).toHaveLength(32);
        expect(await store.secret('one', 32)).toEqual(first);
        expect(await store.secret('two', 32)).not.toEqual(first);
      });

      test('finds an owner by e-mail address, ignoring case, and allows one owner for an address', async () => {
        const owner = { email: 'Anna@example.com', passwordHash: 'hash', totpSecret: 'SECRET', now: NOW };
        const user = await store.accounts.createOwner(owner);
        expect(user).toMatchObject({ email: 'Anna@example.com', passwordHash: 'hash', role: 'owner' });
        expect(await store.accounts.userByEmail('anna@EXAMPLE.com')).toEqual(user);
        expect(await store.accounts.user(user!.id)).toEqual(user);
        expect(await store.accounts.createOwner({ ...owner, email: 'anna@example.com' })).toBeUndefined();
        const [factor] = await store.accounts.factorsOf(user!.id);
        expect(factor).toMatchObject({ type: 'totp', secret: 'SECRET', userId: user!.id });
        expect(await store.accounts.factor(factor!.id)).toEqual(factor);
        expect(await store.accounts.factor('nobody')).toBeUndefined();
      });

      test('accepts a time step once, and none before it', async () => {
        const user = await store.accounts.createOwner({ email: 'a@b.c', passwordHash: '', totpSecret: '', now: NOW });
        const [factor] = await store.accounts.factorsOf(user!.id);
        const use = (step: number) => store.accounts.useStep(factor!.id, step);
        expect([await use(10), await use(10), await use(9), await use(11)]).toEqual([true, false, false, true]);
      });
    });

    describe('devices', () => {
      test('are found, and revoked once', async () => {
        expect(await store.devices.find('dev_1')).toEqual(device);
        expect(await store.devices.revoke('dev_1', NOW + 5)).toBe(true);
        expect(await store.devices.revoke('dev_1', NOW + 6)).toBe(false);
        expect((await store.devices.find('dev_1'))?.revokedAt).toBe(NOW + 5);
        expect(await store.devices.find('nobody')).toBeUndefined();
      });
    });

    describe('tokens', () => {
      const token = (name: string) => ({ hash: createHash('sha256').update(name).digest(), expiresAt: NOW + HOUR });
      let userId: string;
      beforeEach(async () => {
        const user = await store.accounts.createOwner({ email: 'a@b.c', passwordHash: '', totpSecret: '', now: NOW });
        userId = user!.id;
        await store.tokens.startFamily({ id: 'fam_1', userId }, token('a'), NOW);
      });
      const rotate = (from: string, to: string, now = NOW) =>
        store.tokens.rotate({ hash: token(from).hash, successor: token(to), now, grace: 10_000 });

      test('renews a refresh token, and its successor', async () => {
        expect(await rotate('a', 'b')).toEqual({ kind: 'renewed', userId, familyId: 'fam_1' });
        expect((await rotate('b', 'c', NOW + 20_000)).kind).toBe('renewed');
      });

      test('accepts a spent token once more within the grace period', async () => {
        await rotate('a', 'b');
        expect((await rotate('a', 'c', NOW + 9_999)).kind).toBe('renewed');
        expect((await rotate('c', 'e', NOW + 9_999)).kind).toBe('renewed');
        const reused = { kind: 'reused', userId, familyId: 'fam_1' };
        expect(await rotate('a', 'f', NOW + 9_999)).toEqual(reused);
      });

      test('revokes the family if the lost successor is used', async () => {
        await rotate('a', 'b');
        await rotate('a', 'c', NOW + 5_000);
        expect((await rotate('b', 'd', NOW + 6_000)).kind).toBe('reused');
        expect((await rotate('c', 'e', NOW + 6_000)).kind).toBe('refused');
      });

      test('refuses a spent token within the grace period if its successor was used', async () => {
        await rotate('a', 'b');
        await rotate('b', 'c', NOW + 1_000);
        expect((await rotate('a', 'd', NOW + 2_000)).kind).toBe('reused');
      });

      test('revokes the family if a spent token is used after the grace period', async () => {
        await rotate('a', 'b');
        expect((await rotate('a', 'c', NOW + 10_001)).kind).toBe('reused');
        expect(await store.tokens.familyIsLive('fam_1')).toBe(false);
        expect((await rotate('b', 'd', NOW + 10_002)).kind).toBe('refused');
      });

      test('refuses an unknown, expired or revoked token', async () => {
        expect((await rotate('x', 'y')).kind).toBe('refused');
        expect((await rotate('a', 'y', NOW + HOUR)).kind).toBe('refused');
        await store.signIns.end(userId, 'fam_1', { accountId: account.id, kind: 'session.ended', occurredAt: NOW });
        expect((await rotate('a', 'y')).kind).toBe('refused');
        expect(await store.tokens.familyIsLive('fam_unknown')).toBe(false);
      });

      test('spends a value once, until it is pruned', async () => {
        expect(await store.tokens.spend('thing', NOW + 5)).toBe(true);
        expect(await store.tokens.spend('thing', NOW + 5)).toBe(false);
        await store.tokens.prune(NOW + 5);
        expect(await store.tokens.spend('thing', NOW + 5)).toBe(false);
        await store.tokens.prune(NOW + 6);
        expect(await store.tokens.spend('thing', NOW + 9)).toBe(true);
      });

      test('counts failures in a row for each subject', async () => {
        const delay = (failures: number) => failures * 100;
        await store.tokens.fail('one', NOW, delay);
        await store.tokens.fail('one', NOW + 1, delay);
        await store.tokens.fail('two', NOW, delay);
        expect(await store.tokens.blockedUntil('one')).toBe(NOW + 201);
        expect(await store.tokens.blockedUntil('two')).toBe(NOW + 100);
        await store.tokens.succeed('one');
        expect(await store.tokens.blockedUntil('one')).toBe(0);
        await store.tokens.fail('one', NOW, delay);
        expect(await store.tokens.blockedUntil('one')).toBe(NOW + 100);
      });
    });

    describe('chunks', () => {
      test('get one id in each account, and no size before they are stored', async () => {
        const digests = [digest('a'), digest('b'), digest('a')];
        const first = await store.chunks.resolve(account.number, digests);
        expect(first.map(({ size }) => size)).toEqual([undefined, undefined, undefined]);
        expect(first[0]!.id).toBe(first[2]!.id);
        expect(first[0]!.id).not.toBe(first[1]!.id);
        const other = await store.accounts.createAccount(NOW);
        expect((await store.chunks.resolve(other.number, [digest('a')]))[0]!.id).not.toBe(first[0]!.id);
        const found = await store.chunks.find(account.number, [digest('c'), digest('b')]);
        expect(found).toEqual([undefined, { id: first[1]!.id, size: undefined, blobSize: undefined }]);
      });

      test("count towards the account's use while they are stored", async () => {
        const [a, b] = await store.chunks.resolve(account.number, [digest('a'), digest('b')]);
        await store.chunks.markStored([
          { id: a!.id, size: 100, blobSize: 100 + 28 },
          { id: b!.id, size: 50, blobSize: 31 },
        ]);
        await store.chunks.markStored([{ id: a!.id, size: 100, blobSize: 100 + 28 }]);
        expect((await store.accounts.findAccount(account.id))?.storageUsed).toBe(100 + 28 + 31);
        expect(await store.chunks.find(account.number, [digest('a')])).toEqual([
          { id: a!.id, size: 100, blobSize: 128 },
        ]);
        await store.chunks.markLost([a!.id, a!.id, 999_999]);
        expect((await store.accounts.findAccount(account.id))?.storageUsed).toBe(31);
        const hex = digest('a').toString('hex');
        expect(await store.chunks.lostAmong([a!.id, b!.id, 999_999])).toEqual([
          { id: a!.id, digest: hex, size: 100, blobSize: 128 },
        ]);
        expect(await store.chunks.lost(account.number)).toEqual([a!.id]);
        expect(await store.chunks.find(account.number, [digest('a')])).toEqual([
          { id: a!.id, size: undefined, blobSize: undefined },
        ]);
        await store.chunks.markStored([{ id: a!.id, size: 100, blobSize: 100 + 28 }]);
        expect(await store.chunks.lost(account.number)).toEqual([]);
      });

      test('are needed once by a session, in the order of its manifest', async () => {
        const session = await begin();
        const names = ['e', 'b', 'd', 'a', 'c'];
        const rows = await store.chunks.resolve(account.number, ['a', 'b', 'c', 'd', 'e'].map(digest));
        const idOf = (one: string) => rows['abcde'.indexOf(one)]!.id;
        await store.chunks.need(
          session,
          [...names, 'e'].map((one) => ({ id: idOf(one), size: 7 })),
        );
        const other = await begin('other');
        await store.chunks.need(other, [{ id: idOf('c'), size: 8 }]);
        const first = await store.chunks.needed(session, 0, 3);
        const rest = await store.chunks.needed(session, first.at(-1)!.ordinal, 3);
        expect([...first, ...rest].map((chunk) => chunk.digest)).toEqual(
          names.map((one) => digest(one).toString('hex')),
        );
        await store.chunks.markStored([{ id: idOf('b'), size: 7, blobSize: 7 + 28 }]);
        expect(await store.chunks.findNeeded(session, [digest('b'), digest('x'), digest('c')], 'any')).toEqual([
          { id: idOf('b'), size: 7, digest: digest('b').toString('hex'), stored: true },
          undefined,
          { id: idOf('c'), size: 7, digest: digest('c').toString('hex'), stored: false },
        ]);
        expect(await store.chunks.findNeeded(other, [digest('b')], 'any')).toEqual([undefined]);
        // The results do not depend on the announced order or the actual one.
        const wanted = await store.chunks.findNeeded(session, [digest('b'), digest('x'), digest('c')], 'any');
        for (let time = 0; time < 3; time += 1) {
          const asked = [digest('b'), digest('x'), digest('c')];
          expect(await store.chunks.findNeeded(session, asked, 'as-needed')).toEqual(wanted);
          expect(await store.chunks.findNeeded(other, [digest('b')], 'as-needed')).toEqual([undefined]);
          expect(await store.chunks.findNeeded(session, asked, 'as-needed')).toEqual(wanted);
        }
      });
    });

    describe('sessions', () => {
      test('start relative to the newest tree of their set', async () => {
        const first = await openSession();
        expect(first).toMatchObject({ state: 'receiving', base: 0, setName: 'docs', deviceName: 'laptop' });
        const run = await complete(first);
        expect((await begin()).base).toBe(run!.sequence);
        expect((await begin('photos')).base).toBe(0);
      });

      test('are completed once', async () => {
        const session = await openSession();
        const run = await complete(session, NOW + 5);
        expect(run).toMatchObject({ restorePoint: NOW + 5, storageUsed: 0 });
        expect(await complete(session)).toBeUndefined();
        expect(await store.sessions.find(session.id)).toMatchObject({ state: 'completed', run, totals: TOTALS });
        expect((await store.devices.find(device.id))?.lastBackup).toBe(NOW + 5);
        expect(await store.sessions.fail(session.number, NOW, undefined)).toBe(false);
      });

      test('cannot be completed before their manifest has arrived, or after they failed', async () => {
        const receiving = await begin();
        expect(await complete(receiving)).toBeUndefined();
        const failed = await openSession();
        expect(await store.sessions.fail(failed.number, NOW, EVENT)).toBe(true);
        expect(await store.sessions.fail(failed.number, NOW, EVENT)).toBe(false);
        expect(await complete(failed)).toBeUndefined();
        expect((await store.sessions.find(failed.id))?.state).toBe('failed');
        expect(await store.sessions.find('ses_unknown')).toBeUndefined();
      });

      test('create restore points whose times strictly increase', async () => {
        const points: number[] = [];
        for (const now of [NOW, NOW, NOW - HOUR, NOW + HOUR]) {
          points.push((await complete(await openSession(), now))!.restorePoint);
        }
        expect(points).toEqual([NOW, NOW + 1, NOW + 2, NOW + HOUR]);
        const { setNumber } = await begin();
        const listed = await store.sessions.restorePoints(setNumber);
        expect(listed.map(({ restorePoint }) => restorePoint)).toEqual(points.toReversed());
        expect(listed[0]).toMatchObject({ files: TOTALS.files, bytes: TOTALS.bytes });
        const at = async (time: number) => (await store.sessions.restorePointAt(setNumber, time))?.restorePoint;
        // The third was completed an hour earlier by a clock that had been corrected.
        expect([await at(NOW - HOUR - 1), await at(NOW - HOUR), await at(NOW - 1)]).toEqual([
          undefined,
          NOW + 2,
          NOW + 2,
        ]);
        expect([await at(NOW), await at(NOW + HOUR - 1)]).toEqual([NOW, NOW + 2]);
        const after = async (time: number) => (await store.sessions.restorePointAfter(setNumber, time))?.restorePoint;
        expect([await after(NOW - 1), await after(NOW), await after(NOW + HOUR)]).toEqual([NOW, NOW + 1, undefined]);
      });

      test('belong to their sets', async () => {
        await complete(await openSession('photos'));
        await begin('docs');
        expect(await store.sessions.sets(device.id)).toMatchObject([
          { name: 'docs', lastRestorePoint: undefined },
          { name: 'photos', lastRestorePoint: NOW },
        ]);
        expect((await store.sessions.findSet(device.id, 'photos'))?.lastRestorePoint).toBe(NOW);
        expect(await store.sessions.findSet(device.id, 'music')).toBeUndefined();
      });

      test('are overdue until they are ended', async () => {
        const old = await openSession('docs', NOW - HOUR);
        const receiving = await begin('docs', NOW - HOUR);
        await complete(await openSession('docs', NOW - HOUR));
        await openSession('docs', NOW);
        const overdue = await store.sessions.overdue(NOW, 10);
        expect(overdue.map(({ id }) => id)).toEqual([old.id, receiving.id]);
        expect(await store.sessions.overdue(NOW, 1)).toHaveLength(1);
      });

      test('are not overdue while their client sends requests', async () => {
        const session = await openSession('docs', NOW - HOUR);
        await store.sessions.touch(session.number, NOW);
        await store.sessions.touch(session.number, NOW - HOUR / 2);
        expect(await store.sessions.overdue(NOW, 10)).toEqual([]);
        expect(await store.sessions.overdue(NOW + 1, 10)).toHaveLength(1);
      });

      test('list chunks that are missing or stored with another size', async () => {
        const session = await openSession();
        const rows = await store.chunks.resolve(account.number, ['a', 'b', 'c'].map(digest));
        await store.chunks.need(
          session,
          rows.map(({ id }) => ({ id, size: 10 })),
        );
        await store.chunks.markStored([
          { id: rows[0]!.id, size: 11, blobSize: 11 + 28 },
          { id: rows[1]!.id, size: 10, blobSize: 10 + 28 },
        ]);
        const hash = (one: string) => `sha256:${digest(one).toString('hex')}`;
        expect(await store.sessions.missingChunks(session.number, 10)).toEqual([hash('a'), hash('c')]);
        expect(await store.sessions.missingChunks(session.number, 1)).toEqual([hash('a')]);
      });
    });

    describe('trees', () => {
      test('contain the changes of a session once it is completed, in its restore point and later ones', async () => {
        const first = await openSession();
        await store.trees.stage(first, { versions: [version('a', 1), version('b', 1)], ends: [], continued: [] });
        const one = await complete(first);
        const second = await openSession();
        const [a] = await store.trees.range({ setNumber: 1, sequence: one!.sequence, after: '', limit: 1 });
        await store.trees.stage(second, { versions: [version('a', 2), version('c', 1)], ends: [a!], continued: [] });
        expect(await treeOf(first.setNumber, one!.sequence)).toEqual(['a:1', 'b:1']);
        const two = await complete(second);
        expect(await treeOf(first.setNumber, one!.sequence)).toEqual(['a:1', 'b:1']);
        expect(await treeOf(first.setNumber, two!.sequence)).toEqual(['a:2', 'b:1', 'c:1']);
        expect(await treeOf(first.setNumber, 0)).toEqual([]);
        expect((await store.trees.find(first.setNumber, two!.sequence, 'a'))?.size).toBe(2);
        expect((await store.trees.find(first.setNumber, one!.sequence, 'a'))?.size).toBe(1);
        expect(await store.trees.find(first.setNumber, one!.sequence, 'c')).toBeUndefined();
      });

      test('preserve times and chunk lists', async () => {
        const session = await openSession();
        const chunks = allocateChunks(2);
        writeChunk(chunks, 0, `sha256:${'ab'.repeat(32)}`, 5);
        writeChunkId(chunks, 0, 2 ** 40 + 3);
        writeChunk(chunks, 1, `sha256:${'01'.repeat(32)}`, 2 ** 26);
        writeChunkId(chunks, 1, 7);
        const exact: FileVersion = { pathKey: 'x', size: 2 ** 45, modified: '2026-01-01T00:00:00.123456Z', chunks };
        const early: FileVersion = { pathKey: 'y', size: 0, modified: -5, chunks: allocateChunks(0) };
        await store.trees.stage(session, { versions: [exact, early], ends: [], continued: [] });
        const run = await complete(session);
        const found = await store.trees.range({ setNumber: 1, sequence: run!.sequence, after: '', limit: 9 });
        expect(found).toEqual([
          { ...exact, validFrom: session.number },
          { ...early, validFrom: session.number },
        ]);
      });

      test('are read in byte order, in pages, up to and including a key', async () => {
        const session = await openSession();
        const keys = ['\u0001a', '\u0001a\u0001b', '\u0001a b', 'z', 'é', '\ufffd', '\u{1f600}'];
        const versions = keys.toReversed().map((key) => version(key, 1));
        await store.trees.stage(session, { versions, ends: [], continued: [] });
        const { sequence } = (await complete(session))!;
        const read: string[] = [];
        for (;;) {
          const page = await store.trees.range({ setNumber: 1, sequence, after: read.at(-1) ?? '', limit: 2 });
          read.push(...page.map(({ pathKey }) => pathKey));
          if (page.length < 2) break;
        }
        expect(read).toEqual(keys);
        const upTo = await store.trees.range({ setNumber: 1, sequence, after: keys[0]!, upTo: 'z', limit: 9 });
        expect(upTo.map(({ pathKey }) => pathKey)).toEqual(keys.slice(1, 4));
      });

      test("return a session's change to a path", async () => {
        const first = await openSession();
        await store.trees.stage(first, {
          versions: ['a', 'b', 'c'].map((key) => version(key, 1)),
          ends: [],
          continued: [],
        });
        await complete(first);
        const second = await openSession();
        const [a, b, c] = await store.trees.range({ setNumber: 1, sequence: 1, after: '', limit: 9 });
        await store.trees.stage(second, {
          versions: [version('b', 2), version('n', 1)],
          ends: [a!, b!, c!],
          continued: [],
        });
        await store.trees.stage(second, { versions: [], ends: [], continued: ['c'] });
        const session = (await store.sessions.find(second.id))!;
        expect(await store.trees.staged(session, ['n', 'c', 'b', 'a', 'x'])).toEqual([
          { base: undefined, staged: true, ended: false },
          { base: c, staged: false, ended: false },
          { base: b, staged: true, ended: true },
          { base: a, staged: false, ended: true },
          { base: undefined, staged: false, ended: false },
        ]);
      });

      test('equal the manifest of a session whose base is no longer the newest tree', async () => {
        const zero = await openSession();
        await store.trees.stage(zero, {
          versions: ['kept', 'dropped', 'changed', 'both', 'same'].map((key) => version(key, 1)),
          ends: [],
          continued: [],
        });
        const { sequence: base } = (await complete(zero))!;
        const late = await openSession();
        const fast = await openSession();
        const old = new Map<string, StoredVersion>();
        for (const one of await store.trees.range({ setNumber: 1, sequence: base, after: '', limit: 9 })) {
          old.set(one.pathKey, one);
        }
        // The first run removes, changes and adds files; the late session was started before it.
        await store.trees.stage(fast, {
          versions: [version('changed', 2), version('both', 2), version('same', 3), version('added', 2)],
          ends: ['dropped', 'changed', 'both', 'same'].map((key) => old.get(key)!),
          continued: [],
        });
        const second = (await complete(fast))!;
        await store.trees.stage(late, {
          versions: [version('both', 4), version('same', 3), version('new', 4)],
          ends: ['kept', 'both', 'same'].map((key) => old.get(key)!),
          continued: [],
        });
        const third = (await complete(late))!;
        expect(await treeOf(1, base)).toEqual(['both:1', 'changed:1', 'dropped:1', 'kept:1', 'same:1']);
        expect(await treeOf(1, second.sequence)).toEqual(['added:2', 'both:2', 'changed:2', 'kept:1', 'same:3']);
        expect(await treeOf(1, third.sequence)).toEqual(['both:4', 'changed:1', 'dropped:1', 'new:4', 'same:3']);
      });
    });

    describe('sweeping', () => {
      const sweepAll = async (): Promise<string[]> => {
        const digests: string[] = [];
        for (;;) {
          const abandoned = await store.sessions.sweep();
          if (!abandoned) return digests;
          digests.push(...abandoned.map((chunk) => chunk.digest));
        }
      };

      test('deletes everything of a failed session that no other session uses', async () => {
        const kept = await openSession();
        await store.trees.stage(kept, { versions: [version('a', 1)], ends: [], continued: [] });
        const { sequence } = (await complete(kept))!;
        const [a] = await store.trees.range({ setNumber: 1, sequence, after: '', limit: 1 });
        const failed = await openSession();
        const going = await openSession();
        const rows = await store.chunks.resolve(account.number, ['mine', 'shared', 'stored', 'lost'].map(digest));
        const needs = rows.map(({ id }) => ({ id, size: 10, blobSize: 20 }));
        await store.chunks.need(failed, needs);
        await store.chunks.need(going, [needs[1]!]);
        await store.chunks.markStored(needs.slice(2));
        await store.chunks.markLost([needs[3]!.id]);
        await store.trees.stage(failed, { versions: [version('a', 2), version('b', 2)], ends: [a!], continued: [] });
        await store.sessions.fail(failed.number, NOW, EVENT);
        expect(await sweepAll()).toEqual([digest('mine').toString('hex')]);
        const left = await store.chunks.find(account.number, ['mine', 'shared', 'stored', 'lost'].map(digest));
        expect(left.map((row) => row !== undefined)).toEqual([false, true, true, true]);
        expect(await store.chunks.findNeeded(failed, [digest('shared')], 'any')).toEqual([undefined]);
        expect(await store.chunks.findNeeded(going, [digest('shared')], 'any')).not.toEqual([undefined]);
        const session = (await store.sessions.find(failed.id))!;
        expect(await store.trees.staged({ ...session, base: sequence }, ['a', 'b'])).toEqual([
          { base: a, staged: false, ended: false },
          { base: undefined, staged: false, ended: false },
        ]);
        expect(await treeOf(1, sequence)).toEqual(['a:1']);
      });

      test('keeps the tree of a completed session', async () => {
        const session = await openSession();
        const [row] = await store.chunks.resolve(account.number, [digest('a')]);
        await store.chunks.need(session, [{ id: row!.id, size: 3 }]);
        await store.chunks.markStored([{ id: row!.id, size: 3, blobSize: 3 + 28 }]);
        await store.trees.stage(session, { versions: [version('a', 1)], ends: [], continued: [] });
        const { sequence } = (await complete(session))!;
        expect(await sweepAll()).toEqual([]);
        expect(await treeOf(1, sequence)).toEqual(['a:1']);
        expect(await store.chunks.find(account.number, [digest('a')])).toEqual([
          { id: row!.id, size: 3, blobSize: 31 },
        ]);
      });

      test('leaves open sessions unchanged', async () => {
        const session = await openSession();
        const [row] = await store.chunks.resolve(account.number, [digest('a')]);
        await store.chunks.need(session, [{ id: row!.id, size: 3 }]);
        expect(await sweepAll()).toEqual([]);
        expect(await store.sessions.missingChunks(session.number, 5)).toHaveLength(1);
      });
    });

    test('keeps restore sessions until they expire', async () => {
      const run = await complete(await openSession());
      const session = await store.restores.create({
        accountId: account.id,
        deviceId: device.id,
        deviceName: device.name,
        setNumber: 1,
        setName: 'docs',
        sequence: run!.sequence,
        restorePoint: run!.restorePoint,
        path: '/a',
        recursive: false,
        isReported: false,
        createdAt: NOW,
        expiresAt: NOW + HOUR,
      });
      expect(session).toMatchObject({ setName: 'docs', deviceName: 'laptop', path: '/a', recursive: false });
      expect(session).toMatchObject({ restorePoint: NOW, totals: undefined, completedAt: undefined });
      await store.restores.started(session.id, { files: 3, bytes: 9 }, EVENT, NOW);
      await store.restores.completed(session.id, EVENT, NOW + 1);
      await store.restores.completed(session.id, EVENT, NOW + 2);
      expect(await store.restores.find(session.id)).toEqual({
        ...session,
        totals: { files: 3, bytes: 9 },
        completedAt: NOW + 1,
      });
      await store.restores.prune(NOW + HOUR);
      expect(await store.restores.find(session.id)).toBeDefined();
      await store.restores.prune(NOW + HOUR + 1);
      expect(await store.restores.find(session.id)).toBeUndefined();
    });
  });
}

export function deviceOf(account: Account, id: string): StoredDevice {
  return {
    id,
    accountId: account.id,
    name: 'laptop',
    os: 'linux',
    agentVersion: '1.2',
    keyHash: randomBytes(32),
    permissions: ['backup', 'status'],
    lastBackup: undefined,
    revokedAt: undefined,
  };
}

function version(pathKey: string, size: number): FileVersion {
  return { pathKey, size, modified: NOW, chunks: allocateChunks(0) };
}

export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
