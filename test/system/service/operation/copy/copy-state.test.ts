import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asOperator } from '../../../../../src/service/operator-access.ts';
import { checkPostgres, checkSqlite } from '../../../../../src/service/operation/check/database.ts';
import { copyService } from '../../../../../src/service/operation/copy/copy-service.ts';
import { CopyState, takeOver } from '../../../../../src/service/operation/copy/copy-state.ts';
import { openStores } from '../../../../../src/service/open-stores.ts';
import { addWebhook } from '../../../../../src/service/webhooks/administration.ts';
import { emptyPostgresDatabase } from '../../../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../../../unit/service/harness.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { runServer } from '../running-server.ts';

const DAY = 24 * 3_600_000;

describe('a copy of a service', () => {
  test('sends no webhooks and reports no devices as offline, until somebody takes over', async () => {
    await using receiver = await startReceiver(() => 200);
    let now = Date.now();
    const clock = { now: () => now };
    const original = await runServer({ allowPrivateWebhooks: true, clock });
    await asOperator({ data: original.data }, async ({ webhooks, accounts }) => {
      await addWebhook(webhooks, (await accounts.firstAccount())!.id, { url: receiver.url, events: [] }, now);
    });
    const data = join(await temporaryDirectory(), 'copy');
    await copyService(original.data, data);
    await original.server.close();

    now += 10 * DAY;
    const copy = await runServer({ data, allowPrivateWebhooks: true, clock });
    expect(copy.logged()).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: expect.stringMatching(/^this is a copy/) }),
    );
    expect((await checkSqlite(data)).isCopy).toBe(true);
    expect((await checkSqlite(original.data)).isCopy).toBe(false);
    const muted = async () => /^holdfast_muted (\d)$/m.exec((await copy.call('GET', '/metrics')).text)?.[1];
    expect(await muted()).toBe('1');
    // It registers a device, which the webhook would report.
    const waiting = await asOperator({ data }, ({ figures }) => figures.figures());
    expect(waiting.webhooks.waiting).toBeGreaterThan(0);
    expect(receiver.requests).toEqual([]);

    expect(await asOperator({ data }, (metadata) => takeOver(metadata, data, now))).toBe(true);
    expect(await asOperator({ data }, (metadata) => takeOver(metadata, data, now))).toBe(false);
    await expect
      .poll(() => receiver.requests.map(({ headers }) => headers['x-service-event']))
      .toEqual(['device.registered']);
    expect(await muted()).toBe('0');
    expect((await checkSqlite(data)).isCopy).toBe(false);
    await copy.server.close();

    // Devices that were silent before are given the whole threshold after the take-over.
    const eventsAt = async (later: number) => {
      now += later;
      const again = await runServer({ data, allowPrivateWebhooks: true, clock });
      await again.server.close();
      return receiver.requests.map(({ headers }) => headers['x-service-event']);
    };
    expect(await eventsAt(DAY)).not.toContain('device.offline');
    await eventsAt(3 * DAY);
    await expect.poll(() => eventsAt(0)).toContain('device.offline');
  });

  test('is a PostgreSQL database that was restored under another name', async () => {
    const url = await emptyPostgresDatabase();
    const folder = await temporaryDirectory();
    const stateOf = async (database: string) => {
      const { metadata, objects } = await openStores(folder, { create: true, database });
      const state = await CopyState.open(metadata, folder);
      await objects.close();
      await metadata.close();
      return state.isMuted;
    };
    expect(await stateOf(url)).toBe(false);
    const restored = new URL(url);
    restored.pathname += '_restored';
    const client = new Client({ connectionString: new URL('/template1', url).href });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`CREATE DATABASE ${restored.pathname.slice(1)} TEMPLATE ${new URL(url).pathname.slice(1)}`);
    expect(await stateOf(url)).toBe(false);
    expect(await stateOf(restored.href)).toBe(true);
    expect((await checkPostgres(url)).isCopy).toBe(false);
    expect((await checkPostgres(restored.href)).isCopy).toBe(true);
    await asOperator({ data: '', database: restored.href }, (metadata) => takeOver(metadata, '', 0));
    expect(await stateOf(restored.href)).toBe(false);
  });
});
