import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTokenStore } from '../../../src/service/auth/tokens/token-store.ts';
import { openSqliteDatabase } from '../../../src/service/database/sqlite/sqlite-database.ts';
import { temporaryDirectory } from '../../unit/service/harness.ts';
import { describeOnEveryDatabase } from './databases.ts';
import { EVENT, NOW } from './metadata-store.ts';

describeOnEveryDatabase('the database', (open) => {
  test('rolls back a transaction that throws', async () => {
    const { queries, transaction } = await open();
    const failing = transaction(async (inside) => {
      await inside.queries.insertInto('spent').values({ what: 'a', expires_at: NOW }).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await queries.selectFrom('spent').selectAll().execute()).toEqual([]);
    await transaction(({ queries: inside }) =>
      inside
        .insertInto('spent')
        .values({ what: 'a', expires_at: 2 ** 50 })
        .execute(),
    );
    expect(await queries.selectFrom('spent').selectAll().execute()).toEqual([{ what: 'a', expires_at: 2 ** 50 }]);
  });

  test('serializes concurrent transactions', async () => {
    const { queries, transaction } = await open();
    await queries.insertInto('spent').values({ what: 'a', expires_at: 0 }).execute();
    const addOne = () =>
      transaction(async ({ queries: inside }) => {
        const { expires_at: before } = await inside.selectFrom('spent').selectAll().executeTakeFirstOrThrow();
        await inside
          .updateTable('spent')
          .set({ expires_at: before + 1 })
          .execute();
      });
    await Promise.all(Array.from({ length: 8 }, addOne));
    expect(await queries.selectFrom('spent').selectAll().execute()).toEqual([{ what: 'a', expires_at: 8 }]);
  });

  test('records an event and its fact together or not at all', async () => {
    let woken = 0;
    const { queries, transaction } = await open(() => (woken += 1));
    await queries.insertInto('account').values({ id: 'acc', created_at: NOW }).execute();
    const endpoint = { account_id: 'acc', url: 'https://a.example/', secret: 's', created_at: NOW, disabled_at: null };
    const endpoints = [
      { ...endpoint, id: 'all', events_json: '[]' },
      { ...endpoint, id: 'this', events_json: '["device.registered"]' },
      { ...endpoint, id: 'other', events_json: '["device.offline"]' },
      { ...endpoint, id: 'gone', events_json: '[]', disabled_at: NOW },
    ];
    await queries.insertInto('webhook_endpoint').values(endpoints).execute();
    const emit = (fails: boolean) =>
      transaction(async (inside) => {
        await inside.emit({ accountId: 'acc', occurredAt: NOW, event: EVENT });
        if (fails) throw new Error('no');
      });
    await expect(emit(true)).rejects.toThrow('no');
    expect(woken).toBe(0);
    await emit(false);
    expect(woken).toBe(1);
    const deliveries = await queries.selectFrom('webhook_delivery').selectAll().orderBy('endpoint_id').execute();
    expect(deliveries.map(({ endpoint_id: id }) => id)).toEqual(['all', 'this']);
    expect(deliveries[0]).toMatchObject({ event: 'device.registered', attempts: 0, next_attempt_at: NOW });
    expect(JSON.parse(deliveries[0]!.body)).toMatchObject({ account_id: 'acc', delivery_id: deliveries[0]!.id });
  });

  test('runs exclusive work once at a time', async () => {
    const { exclusively } = await open();
    const { promise, resolve } = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const first = exclusively('housekeeping', () => {
      begun.resolve();
      return promise;
    });
    await begun.promise;
    const others = exclusively('something else', async () => 'other');
    expect(await others).toBe('other');
    expect(await exclusively('housekeeping', async () => 'second')).toBeUndefined();
    resolve('first');
    expect(await first).toBe('first');
    await expect(exclusively('housekeeping', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await exclusively('housekeeping', async () => 'third')).toBe('third');
  });
});

test('in SQLite synchronous stores wait for an asynchronous transaction, whose rollback does not affect them', async () => {
  const database = openSqliteDatabase(join(await temporaryDirectory(), 'metadata.sqlite'));
  onTestFinished(() => database.close());
  const tokens = createTokenStore(database);
  const order: string[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const undone = database.transaction(async ({ queries }) => {
    await queries.insertInto('spent').values({ what: 'undone', expires_at: NOW }).execute();
    begin();
    await new Promise(setImmediate);
    order.push('transaction');
    throw new Error('no');
  });
  await begun;
  const spent = tokens.spend('kept', NOW).then((taken) => order.push(`spent: ${taken}`));
  await expect(undone).rejects.toThrow('no');
  await spent;
  expect(order).toEqual(['transaction', 'spent: true']);
  expect(await tokens.spend('kept', NOW)).toBe(false);
  expect(await tokens.spend('undone', NOW)).toBe(true);
});
