import { sql } from 'kysely';
import { Client, Pool } from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { RESTORE_LIFETIME } from '../../../src/service/restore/restore-store.ts';
import { openPostgresMetadataStore } from '../../../src/service/postgres-metadata-store.ts';
import { openPostgresDatabase } from '../../../src/service/database/postgres/postgres-database.ts';
import { createPostgresSchema } from '../../../src/service/database/schema/postgres-schema.ts';
import { SCHEMA_VERSION } from '../../../src/service/database/schema/schema.ts';
import type { SetReference, StoredPoint } from '../../../src/service/retention/retention-facts.ts';
import type { Account } from '../../../src/service/auth/account-store.ts';
import type { BackupSession } from '../../../src/service/backup/store/session.ts';
import type { MetadataStore } from '../../../src/service/metadata-store.ts';
import { allocateChunks } from '../../../src/service/backup/store/packed-chunks.ts';
import { emptyPostgresDatabase, postgresDatabase } from '../../helpers/postgres/postgres.ts';
import { deviceOf, digest, EVENT, NOW, STATS, TOTALS } from './metadata-store.ts';

/** Each process is simulated by its own connections. */
describe('several processes on one PostgreSQL', () => {
  let stores: readonly MetadataStore[];
  let account: Account;
  let url: string;
  beforeEach(async () => {
    url = await postgresDatabase();
    stores = await Promise.all(Array.from({ length: 3 }, () => openPostgresMetadataStore(url)));
    onTestFinished(async () => {
      await Promise.all(stores.map((store) => store.close()));
    });
    account = await stores[0]!.accounts.createAccount(NOW);
    await stores[0]!.devices.register(deviceOf(account, 'dev_1'), NOW, EVENT);
  });
  const each = <Result>(work: (store: MetadataStore, index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: 12 }, (_, index) => work(stores[index % stores.length]!, index)));
  const begin = (store: MetadataStore, setName = 'docs'): Promise<BackupSession> =>
    store.sessions.begin({ accountId: account.id, deviceId: 'dev_1', setName, now: NOW });

  describe('while a restore point is being removed', () => {
    /** Removes the older of two restore points, and runs something else between reading the facts and the removal. */
    async function removing<Result>(meanwhile: (place: SetReference, first: StoredPoint) => Promise<Result>) {
      const store = stores[0]!;
      for (const now of [NOW, NOW + 1]) {
        const { number } = await begin(store);
        await store.sessions.open(number, TOTALS, EVENT, now);
        await store.sessions.complete(number, { now, stats: STATS, events: () => [] });
      }
      const { setNumber } = await begin(store, 'docs');
      const place = { accountId: account.id, setNumber };
      const retention = store.retention;
      const first = (await retention.facts(place, NOW)).points[0]!;
      const holder = new Client({ connectionString: url });
      await holder.connect();
      const waiting = async (): Promise<number> => {
        const { rows } = await holder.query(
          'SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0',
        );
        return (rows as { count: number }[])[0]!.count;
      };
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM session WHERE number = $1 FOR UPDATE', [first.session]);
      const removal = retention.remove(place, NOW, ({ points }) =>
        points
          .filter(({ session, pinned, inUse }) => session === first.session && !pinned && !inUse)
          .map((one) => one.session),
      );
      while ((await waiting()) < 1);
      const state = { isOver: false };
      const other = meanwhile(place, first).finally(() => (state.isOver = true));
      while (!state.isOver && (await waiting()) < 2);
      await holder.query('COMMIT');
      await holder.end();
      return { removed: (await removal).length > 0, other: await other };
    }

    test('a concurrent restore keeps it, or finds it removed', async () => {
      const { removed, other } = await removing(async ({ accountId, setNumber }, { sequence, restorePoint }) => {
        const { restores, sessions } = stores[1]!;
        const names = {
          deviceId: 'dev_1',
          deviceName: '',
          setName: 'docs',
          path: '',
          recursive: true,
          isReported: false,
        };
        const times = { restorePoint, createdAt: NOW, expiresAt: NOW + RESTORE_LIFETIME };
        await restores.create({ accountId, setNumber, sequence, ...names, ...times });
        return (await sessions.restorePointAt(setNumber, restorePoint))?.sequence === sequence;
      });
      expect(other).toBe(!removed);
    });

    test('a concurrent pin keeps it, or finds it removed', async () => {
      const { removed, other } = await removing((_, { session }) => stores[1]!.retention.pin(session, NOW));
      expect(other).toBe(!removed);
    });
  });

  test('create a secret, a set and an owner once', async () => {
    const secrets = await each((store) => store.secret('one', 32));
    expect(new Set(secrets.map((secret) => secret.toString('hex'))).size).toBe(1);
    const sessions = await each((store) => begin(store));
    expect(new Set(sessions.map(({ setNumber }) => setNumber)).size).toBe(1);
    const owner = { email: 'Anna@example.com', passwordHash: '', totpSecret: '', now: NOW };
    const users = await each((store) => store.accounts.createOwner(owner));
    expect(users.filter((user) => user !== undefined)).toHaveLength(1);
  });

  test('spend a value once, and count every failed attempt', async () => {
    const taken = await each((store) => store.tokens.spend('signature', NOW));
    expect(taken.filter(Boolean)).toHaveLength(1);
    await each((store) => store.tokens.fail('one', NOW, (failures) => failures));
    expect(await stores[0]!.tokens.blockedUntil('one')).toBe(NOW + 12);
    const user = await stores[0]!.accounts.createOwner({ email: 'a@b.c', passwordHash: '', totpSecret: '', now: NOW });
    await stores[0]!.tokens.startFamily(
      { id: 'fam', userId: user!.id },
      { hash: digest('0'), expiresAt: NOW + 9 },
      NOW,
    );
    const rotated = await each((store, index) =>
      store.tokens.rotate({
        hash: digest('0'),
        successor: { hash: digest(`next ${index}`), expiresAt: NOW + 9 },
        now: NOW,
        grace: 0,
      }),
    );
    // Once, and once more within the grace period; the third use revokes the family.
    expect(rotated.filter(({ kind }) => kind === 'renewed')).toHaveLength(2);
    expect(await stores[1]!.tokens.familyIsLive('fam')).toBe(false);
  });

  test('assign the same ids to digests, in whatever order they arrive', async () => {
    const digests = Array.from({ length: 300 }, (_, index) => digest(`${index}`));
    const resolved = await each(async (store, index) => {
      const turned = [...digests.slice(index * 25), ...digests.slice(0, index * 25)];
      const rows = await store.chunks.resolve(account.number, index % 2 === 0 ? turned : turned.toReversed());
      return new Map(
        rows.map(({ id }, at) => [(index % 2 === 0 ? turned : turned.toReversed())[at]!.toString('hex'), id]),
      );
    });
    for (const ids of resolved) expect(ids).toEqual(resolved[0]);
    await each(async (store) => {
      const rows = await store.chunks.find(account.number, digests);
      await store.chunks.markStored(rows.map((row) => ({ id: row!.id, size: 100, blobSize: 128 })));
    });
    expect((await stores[0]!.accounts.findAccount(account.id))?.storageUsed).toBe(300 * 128);
  });

  test('complete concurrent sessions of one set one after the other, each as exactly its manifest', async () => {
    const sessions = await each(async (store, index) => {
      const session = await begin(store);
      const versions = ['same', `own ${index}`].map((pathKey) => ({
        pathKey,
        size: index,
        modified: NOW,
        chunks: allocateChunks(0),
      }));
      await store.trees.stage(session, { versions, ends: [], continued: [] });
      await store.sessions.open(session.number, TOTALS, EVENT, NOW);
      return session;
    });
    const runs = await each((store, index) =>
      store.sessions.complete(sessions[index]!.number, { now: NOW, stats: STATS, events: () => [EVENT] }),
    );
    expect(new Set(runs.map((run) => run!.restorePoint)).size).toBe(12);
    const again = await each((store, index) =>
      store.sessions.complete(sessions[index]!.number, { now: NOW, stats: STATS, events: () => [EVENT] }),
    );
    expect(again.every((run) => run === undefined)).toBe(true);
    for (const [index, run] of runs.entries()) {
      const { setNumber } = sessions[index]!;
      const tree = await stores[0]!.trees.range({ setNumber, sequence: run!.sequence, after: '', limit: 100 });
      expect(tree.map(({ pathKey, size }) => [pathKey, size])).toEqual([
        [`own ${index}`, index],
        ['same', index],
      ]);
    }
  });

  test('end a session once', async () => {
    const session = await begin(stores[0]!);
    await stores[0]!.sessions.open(session.number, TOTALS, EVENT, NOW);
    const ends = await each((store, index) =>
      index % 2 === 0
        ? store.sessions.fail(session.number, NOW, EVENT)
        : store.sessions
            .complete(session.number, { now: NOW, stats: STATS, events: () => [EVENT] })
            .then((run) => run !== undefined),
    );
    expect(ends.filter(Boolean)).toHaveLength(1);
  });

  test('do not sweep chunks that another session announces', async () => {
    const digests = Array.from({ length: 200 }, (_, index) => digest(`${index}`));
    const chunks = digests.map((one) => ({ digest: one, size: 7 }));
    const wait = (store: MetadataStore) =>
      store.sessions.wait({ accountId: account.id, deviceId: 'dev_1', setName: 'docs', now: NOW }, () => EVENT);
    for (let round = 0; round < 5; round += 1) {
      const left = await wait(stores[0]!);
      await stores[0]!.chunks.needEarly(left, chunks);
      await stores[0]!.sessions.fail(left.number, NOW, undefined);
      const going = await wait(stores[1]!);
      const [announced] = await Promise.all([
        stores[1]!.chunks.needEarly(going, chunks),
        ...[stores[0]!, stores[2]!].map(async (store) => {
          while (await store.sessions.sweep());
        }),
      ]);
      const found = await stores[2]!.chunks.find(account.number, digests);
      expect(found.map((row) => row?.id)).toEqual(announced!.map(({ id }) => id));
      const page = await stores[2]!.chunks.announced(going.number, 0);
      expect(page.ids).toEqual(announced!.map(({ id }) => id));
    }
  });
});

test('commits durably on a server that confirms commits early', async () => {
  const url = await postgresDatabase();
  const admin = new Pool({ connectionString: url });
  await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  await admin.end();
  const { queries, close } = await openPostgresDatabase(url);
  onTestFinished(() => close());
  const { rows } = await sql<{ setting: string }>`SELECT current_setting('synchronous_commit') AS setting`.execute(
    queries,
  );
  expect(rows).toEqual([{ setting: 'on' }]);
});

test('processes that start at once create the schema once', async () => {
  const url = await emptyPostgresDatabase();
  const pools = Array.from({ length: 4 }, () => new Pool({ connectionString: url }));
  await Promise.all(pools.map((pool) => createPostgresSchema(pool)));
  const { rows } = await pools[0]!.query<{ version: number }>('SELECT version FROM schema_version');
  expect(rows).toEqual([{ version: SCHEMA_VERSION }]);
  await Promise.all(pools.map((pool) => pool.end()));
});
