import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openMetadataDatabase } from '../../../src/service/store/database/sqlite-connection.ts';
import { ConnectionTurns } from '../../../src/service/store/database/connection-turns.ts';
import { NewerSchemaError } from '../../../src/service/store/schema/migration.ts';
import { MIGRATIONS } from '../../../src/service/store/schema/migrations.ts';
import { createSqliteDatabase } from '../../../src/service/store/database/sqlite-database.ts';
import { migrate } from '../../../src/service/store/schema/migrate-sqlite.ts';
import { SqlWebhookOutbox } from '../../../src/service/store/webhooks/sql-outbox.ts';
import { temporaryDirectory } from '../harness.ts';

async function open() {
  const database = new BetterSqlite(join(await temporaryDirectory(), 'metadata.sqlite'));
  onTestFinished(() => void database.close());
  return database;
}

const tables = (database: BetterSqlite.Database) =>
  database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();

test('migrations have numbers of their own', () => {
  const numbers = MIGRATIONS.map(({ number }) => number);
  expect([...new Set(numbers)]).toEqual(numbers);
});

test('0001: accounts and trees', async () => {
  const database = await open();
  migrate(database, MIGRATIONS.slice(0, 1));
  expect(database.pragma('user_version', { simple: true })).toBe(1);
  expect(tables(database)).toEqual(
    expect.arrayContaining(['account', 'chunk', 'device', 'file_version', 'session', 'user', 'webhook_delivery']),
  );
});

test('0002: waiting sessions, and sessions that were there were last heard of when they began', async () => {
  const database = await open();
  migrate(database, MIGRATIONS.slice(0, 1));
  database.exec(`
    INSERT INTO account (number, id, created_at) VALUES (1, 'acc', 1);
    INSERT INTO device (id, account_id, name, os, agent_version, key_hash, permissions_json, created_at)
      VALUES ('dev', 'acc', 'n', 'o', '1', x'00', '[]', 1);
    INSERT INTO backup_set (number, account_id, device_id, name) VALUES (1, 'acc', 'dev', 'docs');
    INSERT INTO session (id, account_id, device_id, set_number, state, created_at, base)
      VALUES ('ses', 'acc', 'dev', 1, 'open', 123, 0);`);
  migrate(database, MIGRATIONS.slice(0, 2));
  expect(database.prepare('SELECT active_at, continued_by FROM session').all()).toEqual([
    { active_at: 123, continued_by: null },
  ]);
});

test('0040: deliveries that were there go on, with one secret and the time of their event', async () => {
  const database = await open();
  migrate(
    database,
    MIGRATIONS.filter(({ number }) => number < 40),
  );
  database.exec(`
    INSERT INTO account (number, id, created_at) VALUES (1, 'acc', 1);
    INSERT INTO webhook_endpoint (id, account_id, url, events_json, secret, created_at)
      VALUES ('whk', 'acc', 'https://a.example/', '[]', 'whsec_x', 1);
    INSERT INTO webhook_delivery (id, endpoint_id, event, body, created_at, attempts, next_attempt_at)
      VALUES ('dlv', 'whk', 'backup.failed', '{}', 5, 3, 9);`);
  migrate(database);
  const outbox = new SqlWebhookOutbox(createSqliteDatabase(database, new ConnectionTurns(), () => undefined));
  expect(await outbox.claim({ endpointId: 'whk', limit: 9, now: 9, leasedUntil: 99 })).toMatchObject([
    { id: 'dlv', secrets: ['whsec_x'], triedFrom: 5, attempts: 4 },
  ]);
});

const step = (number: number, sql: string) => ({ number, name: `step ${number}`, sql: () => sql });

test('each step is applied once, also by a later version, and one that came late still is', async () => {
  const database = await open();
  const first = step(1, 'CREATE TABLE one (x)');
  const second = step(2, 'CREATE TABLE two (x)');
  const far = step(20, 'CREATE TABLE twenty (x)');
  migrate(database, [first]);
  migrate(database, [first]);
  migrate(database, [first, far]);
  migrate(database, [first, second, far]);
  expect(tables(database)).toEqual(['migration', 'one', 'twenty', 'two']);
  expect(() => migrate(database, [first, second])).toThrow(NewerSchemaError);
});

test('a database from before there was a table of steps goes on from where it is', async () => {
  const database = await open();
  database.exec('CREATE TABLE one (x); PRAGMA user_version = 1');
  const steps = [step(1, 'CREATE TABLE one (x)'), step(2, 'CREATE TABLE two (x)')];
  migrate(database, steps);
  expect(tables(database)).toEqual(['migration', 'one', 'two']);
  expect(database.pragma('user_version', { simple: true })).toBe(2);
});

test('a step that fails leaves the schema as it was', async () => {
  const database = await open();
  const broken = step(1, 'CREATE TABLE one (x); CREATE TABLE one (x)');
  expect(() => migrate(database, [broken])).toThrow('already exists');
  expect([tables(database), database.pragma('user_version', { simple: true })]).toEqual([[], 0]);
});

test('a newer schema is not touched', async () => {
  const file = join(await temporaryDirectory(), 'metadata.sqlite');
  openMetadataDatabase(file).close();
  const database = new BetterSqlite(file);
  database.pragma(`user_version = ${Math.max(...MIGRATIONS.map(({ number }) => number)) + 1}`);
  database.close();
  expect(() => openMetadataDatabase(file)).toThrow(NewerSchemaError);
});
