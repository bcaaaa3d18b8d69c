import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import BetterSqlite from 'better-sqlite3';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startedEvent } from '../../../../../src/service/backup/backup-events.ts';
import {
  type ServiceData,
  exportService,
  importService,
} from '../../../../../src/service/operation/export/transfer-file.ts';
import type { MetadataStore } from '../../../../../src/service/metadata-store.ts';
import type { NewSession } from '../../../../../src/service/backup/store/session.ts';
import { openPostgresMetadataStore } from '../../../../../src/service/postgres-metadata-store.ts';
import { openSqliteMetadataStore } from '../../../../../src/service/sqlite-metadata-store.ts';
import { postgresDatabase } from '../../../../helpers/postgres/postgres.ts';
import { file, STATS, temporaryDirectory, TestService } from '../../../../unit/service/harness.ts';

const NO_TOTALS = { files: 0, bytes: 0, bytesNeeded: 0, chunksNeeded: 0, chunksDeduped: 0, treeBytes: 0 };

/** A service with all data that two databases may represent differently. */
async function filled(): Promise<{ readonly data: string; readonly service: TestService; readonly set: string }> {
  const service = await TestService.open();
  const device = await service.register();
  const set = 'Fotos – 写真 🗻';
  const files = [
    file('/a', ['one']),
    file('/b/\u0001odd\u0002', ['two', 'three'], '2026-01-02T03:04:05.678901234Z'),
    file(`/${'long'.repeat(2_000)}`, ['four']),
    file('/empty', []),
    file('/quoted "\\ \n', ['five'], '1969-12-31T23:59:59.5Z'),
  ];
  for (const count of [5, 3, 4]) {
    service.clock.advance(60_000);
    expect((await service.backUp(device, set, files.slice(0, count))).status).toBe(200);
  }
  // An open session and a restore.
  expect((await service.init(device, set, files)).status).toBe(200);
  expect((await service.manifest(device, set)).status).toBe(200);
  return { data: service.directory, service, set };
}

/** Returns the sequence number of an empty run. */
async function runOf({ sessions }: MetadataStore, place: NewSession): Promise<number | undefined> {
  const session = await sessions.begin(place);
  await sessions.open(session.number, NO_TOTALS, startedEvent(session), place.now);
  return (await sessions.complete(session.number, { now: place.now, stats: STATS, events: () => [] }))?.sequence;
}

interface Head {
  readonly table: string;
  readonly highest: Readonly<Record<string, number>>;
}

interface Table {
  readonly head: Head;
  readonly rows: string[];
}

/** Returns every table: rows as sorted text. */
async function contentOf(source: ServiceData, folder: string): Promise<Readonly<Record<string, Table>>> {
  const path = join(folder, `content-${Math.random()}`);
  await exportService(source, path);
  const content: Record<string, Table> = {};
  let current: Table | undefined;
  for (const line of await linesOf(path)) {
    const value = JSON.parse(line) as Partial<Head>;
    if (Array.isArray(value)) current!.rows.push(line);
    else if (value.table !== undefined) {
      current = { head: value as Head, rows: [] };
      content[value.table] = current;
    }
  }
  for (const { rows } of Object.values(content)) rows.sort();
  return content;
}

async function linesOf(path: string): Promise<string[]> {
  return zstdDecompressSync(await readFile(path))
    .toString()
    .split('\n')
    .filter(Boolean);
}

describe('moving a service between databases', () => {
  test('round-trips from SQLite to PostgreSQL while the service runs', async () => {
    const { data, service, set } = await filled();
    const folder = await temporaryDirectory();
    const database = await postgresDatabase();
    const [there, back] = [join(folder, 'there'), join(folder, 'back')];
    const report = await exportService({ data }, there);
    expect(report.rows).toBeGreaterThan(20);
    expect((await stat(there)).mode & 0o777).toBe(0o600);
    expect(await importService({ data: folder, database }, there)).toEqual(report);
    expect(await exportService({ data: folder, database }, back)).toEqual(report);
    const again = join(folder, 'again');
    expect(await importService({ data: again }, back)).toEqual(report);

    const before = await contentOf({ data }, folder);
    const inPostgres = await contentOf({ data: folder, database }, folder);
    const inSqlite = await contentOf({ data: again }, folder);
    for (const [table, { head, rows }] of Object.entries(before)) {
      expect(inPostgres[table]?.rows).toEqual(rows);
      expect(inSqlite[table]?.rows).toEqual(rows);
      // Some tables have a counter in one of the databases only.
      expect(inPostgres[table]?.head).toMatchObject({ highest: head.highest });
      expect(inSqlite[table]?.head).toMatchObject({ highest: head.highest });
    }
    expect(Object.keys(inPostgres)).toEqual(Object.keys(before));
    expect(before['chunk']!.head.highest['id']).toBeGreaterThan(4);

    // The stores agree: restore points, tree, secrets; and numbering continues.
    const postgres = await openPostgresMetadataStore(database);
    onTestFinished(() => postgres.close());
    const sqlite = openSqliteMetadataStore(join(again, 'metadata.sqlite'));
    onTestFinished(() => sqlite.close());
    const deviceId = (await sqlite.deviceActivity.list(service.accountId))[0]!.id;
    const original = service.service.context.metadata;
    const found = (await original.sessions.findSet(deviceId, set))!;
    const points = await original.sessions.restorePoints(found.number);
    expect(points).toHaveLength(3);
    for (const store of [postgres, sqlite]) {
      expect(await store.sessions.restorePoints(found.number)).toEqual(points);
      for (const { sequence } of points) {
        const range = { setNumber: found.number, sequence, after: '', limit: 100 };
        expect(await store.trees.range(range)).toEqual(await original.trees.range(range));
      }
      expect(await store.secret('presigned-url', 32)).toEqual(await original.secret('presigned-url', 32));
      const account = (await store.accounts.firstAccount())!;
      const [fresh] = await store.chunks.resolve(account.number, [Buffer.alloc(32, 9)]);
      const [known] = await original.chunks.resolve(account.number, [Buffer.alloc(32, 9)]);
      expect(fresh).toEqual(known);
      // The next run follows the imported ones.
      const place = { accountId: service.accountId, deviceId, setName: set, now: service.clock.now() };
      expect(await runOf(store, place)).toBe(points[0]!.sequence + 1);
    }
    // Also if a replica's counter is behind.
    const client = new Client({ connectionString: database });
    await client.connect();
    await client.query('ALTER SEQUENCE run_sequence RESTART');
    await client.end();
    const place = { accountId: service.accountId, deviceId, setName: set, now: service.clock.now() };
    expect(await runOf(postgres, place)).toBe(points[0]!.sequence + 2);
  });

  test('overwrites neither an existing file nor a non-empty database', async () => {
    const { data } = await filled();
    const folder = await temporaryDirectory();
    const path = join(folder, 'export');
    await exportService({ data }, path);
    await expect(exportService({ data }, path)).rejects.toThrow(/there already/);
    await expect(importService({ data }, path)).rejects.toThrow(/empty one/);
    const database = await postgresDatabase();
    await importService({ data: folder, database }, path);
    await expect(importService({ data: folder, database }, path)).rejects.toThrow(/empty one/);
  });

  test('rejects damaged, truncated or incomplete files and leaves nothing', async () => {
    const { data } = await filled();
    const folder = await temporaryDirectory();
    const database = await postgresDatabase();
    const path = join(folder, 'export');
    await exportService({ data }, path);
    const lines = await linesOf(path);
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    const chunk = at('"table":"chunk"');
    const without = (index: number, count = 1) => lines.toSpliced(index, count);
    const whole = await readFile(path);
    const cases: readonly (readonly [name: string, content: Buffer | readonly string[], message: RegExp])[] = [
      ['a row is missing', without(chunk + 1), /has \d+ rows instead of/],
      ['a row is there twice', lines.toSpliced(chunk + 1, 0, lines[chunk + 1]!), /./],
      ['a row is altered', lines.with(chunk + 1, lines[chunk + 1]!.replace('[', '[9')), /./],
      ['the end is missing', lines.slice(0, -1), /ends too early/],
      ['a table is missing', without(at('"table":"secret"'), 3), /is missing|cannot be used/],
      ['a column is missing', lines.with(chunk, lines[chunk]!.replace('"digest",', '')), /not as it should be/],
      ['another version wrote it', lines.with(0, lines[0]!.replace('"version":1', '"version":2')), /another version/],
      ['another schema', lines.with(0, lines[0]!.replace('"schema":1', '"schema":999999')), /newer version/],
      ['something else', ['hello'], /not JSON/],
      ['nothing', [], /ends too early/],
      ['the file is cut off', whole.subarray(0, whole.length >> 1), /cannot be used/],
      ['the file is not compressed', Buffer.from('hello hello hello'), /damaged/],
    ];
    for (const [, content, message] of cases) {
      const broken = join(folder, 'broken');
      const bytes = Buffer.isBuffer(content) ? content : zstdCompressSync(content.map((line) => `${line}\n`).join(''));
      await writeFile(broken, bytes);
      await expect(importService({ data: folder, database }, broken)).rejects.toThrow(message);
      await expect(importService({ data: join(folder, 'new') }, broken)).rejects.toThrow(message);
    }
    // Both are still empty and intact.
    expect(await importService({ data: folder, database }, path)).toEqual(
      await importService({ data: join(folder, 'new') }, path),
    );
    const client = new Client({ connectionString: database });
    await client.connect();
    onTestFinished(() => client.end());
    const references = await client.query("SELECT 1 FROM pg_constraint WHERE contype = 'f' AND NOT convalidated");
    expect(references.rows).toEqual([]);
    const own = await client.query("SELECT count(*)::int AS count FROM pg_constraint WHERE contype = 'f'");
    expect((own.rows as { count: number }[])[0]!.count).toBeGreaterThan(5);
  });

  test('rejects rows with dangling references', async () => {
    const { data } = await filled();
    const folder = await temporaryDirectory();
    const copy = new BetterSqlite(join(data, 'metadata.sqlite'));
    copy.pragma('foreign_keys = OFF');
    copy.exec("UPDATE device SET account_id = 'acc_nobody'");
    copy.close();
    const path = join(folder, 'export');
    await exportService({ data }, path);
    await expect(importService({ data: join(folder, 'new') }, path)).rejects.toThrow(/FOREIGN KEY/);
    await expect(importService({ data: folder, database: await postgresDatabase() }, path)).rejects.toThrow(
      /foreign key/,
    );
  });
});
