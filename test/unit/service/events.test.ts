import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_DATA, webhookBody } from '../../../src/protocol/webhooks.ts';
import { expireSessions } from '../../../src/service/backup/session-end.ts';
import { openSqliteConnection } from '../../../src/service/database/sqlite/sqlite-connection.ts';
import { chunk, file, STATS, TestService } from './harness.ts';

interface Row {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event: string;
  readonly body: string;
  readonly next_attempt_at: number;
}

/** Adds an endpoint directly, and reads its recorded events. */
function endpoint(service: TestService, id: string, events: readonly string[], disabledAt: number | null = null) {
  const file = join(service.directory, 'metadata.sqlite');
  const database = openSqliteConnection(file);
  database
    .prepare(
      `INSERT INTO webhook_endpoint (id, account_id, url, events_json, secret, created_at, disabled_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(id, service.accountId, 'https://example.com', JSON.stringify(events), 'secret', 0, disabledAt);
  database.close();
  return (): Row[] => {
    const reader = openSqliteConnection(file);
    const rows = reader
      .prepare<[string], Row>('SELECT * FROM webhook_delivery WHERE endpoint_id = ? ORDER BY rowid')
      .all(id);
    reader.close();
    return rows;
  };
}

test('sends events for the start and end of a backup and a restore', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk_all', []);
  const device = await service.register();
  const init = await service.init(device, 'docs', [file('/a', ['one', 'two'])]);
  await service.upload(device, init, [file('/a', ['one', 'two'])]);
  service.clock.advance(2_000);
  const run = await service.complete(device, init.body.session_id as string);
  await service.complete(device, init.body.session_id as string);
  const manifest = await service.manifest(device, 'docs');
  const presign = (text: string) =>
    service.post('/functions/v1/restore/presign', device.token, {
      restore_session_id: manifest.body.restore_session_id as string,
      chunk_hashes: [chunk(text).hash],
    });
  await presign('one');
  expect(recorded().at(-1)?.event).toBe('restore.started');
  service.clock.advance(1_000);
  await presign('two');
  await presign('one');

  const rows = recorded();
  const names = ['device.registered', 'backup.started', 'backup.completed', 'restore.started', 'restore.completed'];
  expect(rows.map((row) => row.event)).toEqual(names);
  const bodies = rows.map((row) => webhookBody.parse(JSON.parse(row.body)));
  for (const [index, body] of bodies.entries()) {
    expect(body).toMatchObject({ event: names[index], delivery_id: rows[index]!.id, account_id: service.accountId });
    EVENT_DATA[body.event].parse(body.data);
  }
  expect(bodies[2]!.data).toEqual({
    backup_id: run.body.backup_id as string,
    device_id: device.id,
    device_name: 'Anna’s laptop',
    backup_set: 'docs',
    status: 'completed',
    start_time: '2026-03-01T10:00:00.000Z',
    end_time: '2026-03-01T10:00:02.000Z',
    files_processed: STATS.files_processed,
    bytes_uploaded: STATS.bytes_uploaded,
    dedup_savings_percent: 0,
  });
  expect(bodies[4]!.data).toMatchObject({ status: 'completed', total_files: 1, total_bytes: 6 });
});

test('completes an empty restore when its manifest is sent', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['restore.completed']);
  const device = await service.register();
  await service.backUp(device, 'docs', [file('/empty', [])]);
  await service.manifest(device, 'docs');
  expect(recorded()).toHaveLength(1);
});

test('sends nothing for a restore of no files, as of a mistyped path', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['restore.started', 'restore.completed']);
  const device = await service.register();
  await service.backUp(device, 'docs', [file('/home/a', ['x'])]);
  for (const path of ['/home/b', '/hom', '/home/a/b']) {
    expect((await service.manifest(device, 'docs', { path })).body.total_files).toBe(0);
  }
  expect(recorded()).toEqual([]);
});

test('sends the events of a restore that an agent reports, once each, and none of its own', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['restore.started', 'restore.completed']);
  const device = await service.register();
  await service.backUp(device, 'docs', [file('/a', ['one'])]);
  const { body } = await service.manifest(device, 'docs', { reported: true });
  const session = body.restore_session_id as string;
  const request = { restore_session_id: session, chunk_hashes: [chunk('one').hash] };
  expect((await service.post('/functions/v1/restore/presign', device.token, request)).status).toBe(200);
  expect(recorded()).toEqual([]);
  const report = async (state: string, files: number): Promise<number> => {
    const answer = { restore_session_id: session, state, files, bytes: files * 10 };
    return (await service.post('/functions/v1/restore/report', device.token, answer)).status;
  };
  expect(await report('completed', 0)).toBe(200);
  expect(recorded()).toEqual([]);
  expect([await report('started', 7), await report('started', 7)]).toEqual([200, 200]);
  service.clock.advance(60_000);
  expect([await report('completed', 6), await report('completed', 6)]).toEqual([200, 200]);
  const bodies = recorded().map((row) => webhookBody.parse(JSON.parse(row.body)));
  for (const { event, data } of bodies) EVENT_DATA[event].parse(data);
  expect(bodies).toMatchObject([
    { event: 'restore.started', data: { restore_session_id: session, total_files: 7, total_bytes: 70 } },
    { event: 'restore.completed', data: { total_files: 6, end_time: '2026-03-01T10:01:00.000Z' } },
  ]);
  const unreported = await service.manifest(device, 'docs');
  const other = {
    restore_session_id: unreported.body.restore_session_id as string,
    state: 'started',
    files: 1,
    bytes: 1,
  };
  expect((await service.post('/functions/v1/restore/report', device.token, other)).status).toBe(409);
});

test('sends a warning if an agent that reports none processed more files than it sent', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['backup.completed', 'backup.warning']);
  const device = await service.register();
  const complete = async (stats: object): Promise<void> => {
    const init = await service.init(device, 'docs', [file('/a', ['x']), file('/b', ['x'])]);
    await service.upload(device, init, [file('/a', ['x'])]);
    const body = { session_id: init.body.session_id as string, stats: { ...STATS, ...stats } };
    expect((await service.post('/functions/v1/backup/complete', device.token, body)).status).toBe(200);
  };
  await complete({ files_processed: 2 });
  await complete({ files_processed: 5, warnings: 0 });
  expect(recorded().map(({ event }) => event)).toEqual(['backup.completed', 'backup.completed']);
  await complete({ files_processed: 5 });
  const last = webhookBody.parse(JSON.parse(recorded().at(-1)!.body));
  expect(last).toMatchObject({ event: 'backup.warning', data: { warnings: 3, status: 'completed_with_warnings' } });
});

test('a session that was not used for a day is refused before housekeeping ends it', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['backup.failed']);
  const device = await service.register();
  const [used, unused] = [
    await service.init(device, 'docs', [file('/a', ['x'])]),
    await service.init(device, 'photos', [file('/a', ['x'])]),
  ];
  const put = async ({ body }: typeof used) => {
    const token = await service.tokenOf(device.id);
    const presign = {
      session_id: body.session_id as string,
      chunk_hash: chunk('x').hash,
      chunk_size: chunk('x').blob.length,
    };
    return (await service.post('/functions/v1/backup/presign', token, presign)).status;
  };
  service.clock.advance(23 * 3_600_000);
  expect(await put(used)).toBe(200);
  service.clock.advance(3_600_000 + 1);
  expect([await put(used), await put(unused), await put(unused)]).toEqual([200, 409, 409]);
  expect(recorded()).toHaveLength(1);
  const complete = { session_id: unused.body.session_id as string, stats: STATS };
  const token = await service.tokenOf(device.id);
  expect((await service.post('/functions/v1/backup/complete', token, complete)).status).toBe(409);
});

test('reports an aborted session, or one not completed within a day, as failed', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['backup.failed']);
  const device = await service.register();
  const aborted = await service.init(device, 'docs', []);
  const abandoned = await service.init(device, 'photos', []);
  const { metadata } = service.service.context;
  // This manifest never arrived completely, so its start was not reported.
  await metadata.sessions.begin({
    accountId: service.accountId,
    deviceId: device.id,
    setName: 'x',
    now: service.clock.now(),
  });
  await service.post('/functions/v1/backup/abort', device.token, { session_id: aborted.body.session_id });
  service.clock.advance(24 * 3_600_000);
  await expireSessions(service.service.context);
  expect(recorded()).toHaveLength(1);
  service.clock.advance(1);
  await expireSessions(service.service.context);
  await expireSessions(service.service.context);
  const data = recorded().map((row) => webhookBody.parse(JSON.parse(row.body)).data);
  expect(data).toMatchObject([
    { session_id: aborted.body.session_id as string, status: 'failed', reason: 'aborted', backup_set: 'docs' },
    { session_id: abandoned.body.session_id as string, status: 'failed', reason: 'expired', backup_set: 'photos' },
  ]);
  expect(await metadata.sessions.overdue(service.clock.now(), 10)).toEqual([]);
});

test('sends an enabled endpoint the events that it subscribed to in its account', async () => {
  const service = await TestService.open();
  const some = endpoint(service, 'whk_some', ['device.registered', 'backup.started']);
  const disabled = endpoint(service, 'whk_disabled', [], 5);
  const second = endpoint(service, 'whk_second', ['device.registered']);
  const device = await service.register();
  await service.backUp(device, 'docs', []);
  const other = await service.service.context.metadata.accounts.createAccount(0);
  await service.register(other.id);
  expect(some().map(({ event }) => event)).toEqual(['device.registered', 'backup.started']);
  expect(disabled()).toEqual([]);
  expect(second()).toHaveLength(1);
  expect(second()[0]!.id).not.toBe(some()[0]!.id);
  expect(second()[0]!.next_attempt_at).toBe(service.clock.now());
});

test('sends nothing for a rejected manifest or completion', async () => {
  const service = await TestService.open();
  const device = await service.register();
  const recorded = endpoint(service, 'whk', []);
  await service.init(device, 'docs', [file('/a', []), file('/a', [])]);
  expect(recorded()).toEqual([]);
  const init = await service.init(device, 'docs', [file('/a', ['missing'])]);
  await service.complete(device, init.body.session_id as string);
  expect(recorded().map(({ event }) => event)).toEqual(['backup.started']);
});

test('reports the start of a session opened before its manifest once', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk_all', ['backup.started', 'backup.completed', 'backup.failed']);
  const device = await service.register();
  const open = async () => (await service.openSession(device, 'docs')).body.session_id as string;
  const session = await open();
  const started = { event: 'backup.started', data: { session_id: session, backup_set: 'docs' } };
  const bodies = () => recorded().map((row) => webhookBody.parse(JSON.parse(row.body)));
  expect(bodies()).toMatchObject([started]);
  const start = service.clock.now();
  service.clock.advance(60_000);
  await service.init(device, 'docs', [], { session_id: session });
  await service.complete(device, session);
  const end = { start_time: new Date(start).toISOString(), end_time: new Date(start + 60_000).toISOString() };
  expect(bodies()).toMatchObject([started, { event: 'backup.completed', data: end }]);
  const aborted = await open();
  await service.post('/functions/v1/backup/abort', device.token, { session_id: aborted });
  expect(bodies().slice(2)).toMatchObject([
    { event: 'backup.started', data: { session_id: aborted } },
    { event: 'backup.failed', data: { session_id: aborted, reason: 'aborted' } },
  ]);
});

test('reports a run with warnings as completed and with warnings in one transaction', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['backup.completed', 'backup.warning']);
  const device = await service.register();
  const files = [file('/a', ['one'])];
  const complete = async (warnings?: number) => {
    const init = await service.init(device, 'docs', files);
    await service.upload(device, init, files);
    const stats = { ...STATS, warnings };
    return service.post('/functions/v1/backup/complete', device.token, {
      session_id: init.body.session_id as string,
      stats,
    });
  };
  await complete();
  await complete(0);
  const run = await complete(2);
  expect(recorded().map(({ event }) => event)).toEqual([
    'backup.completed',
    'backup.completed',
    'backup.completed',
    'backup.warning',
  ]);
  const [completed, warning] = recorded()
    .slice(2)
    .map(({ body }) => webhookBody.parse(JSON.parse(body)).data);
  expect(EVENT_DATA['backup.warning'].parse(warning)).toEqual({
    ...completed,
    backup_id: run.body.backup_id as string,
    status: 'completed_with_warnings',
    warnings: 2,
  });
});

test('raises one alarm for a run that replaces existing data, and blocks deletions from then on', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['security.ransomware_detected']);
  const device = await service.register();
  const tree = (word: string, folder: string, ending = '', modified?: string) =>
    Array.from({ length: 120 }, (_, index) => file(`${folder}/${index}${ending}`, [`${word} ${index}`], modified));
  await service.backUp(device, 'docs', tree('plain', '/docs'));
  const { retention, alarms } = service.service.context.metadata;
  // Touched, moved and added files are not suspicious.
  await service.backUp(device, 'docs', tree('plain', '/docs', '', '2026-02-02T00:00:00.000Z'));
  await service.backUp(device, 'docs', tree('plain', '/moved'));
  await service.backUp(device, 'docs', [...tree('new', '/docs'), ...tree('plain', '/moved')]);
  expect(recorded()).toEqual([]);
  expect(await retention.isHeld(service.accountId)).toBe(false);

  const encrypted = [...tree('sealed', '/docs'), ...tree('locked', '/moved', '.locked')];
  const init = await service.init(device, 'docs', encrypted);
  const session = init.body.session_id as string;
  // Before the blobs are stored, and again: complete is requested as often as necessary.
  await service.complete(device, session);
  await service.upload(device, init, encrypted);
  const run = await service.complete(device, session);
  await service.complete(device, session);
  expect(run.status).toBe(200);
  const [recordedEvent, ...more] = recorded();
  expect(more).toEqual([]);
  const body = webhookBody.parse(JSON.parse(recordedEvent!.body));
  expect(EVENT_DATA['security.ransomware_detected'].parse(body.data)).toMatchObject({
    session_id: session,
    device_id: device.id,
    backup_set: 'docs',
    reasons: ['mass_rewrite'],
    files_before: 240,
    files_rewritten: 240,
    new_data_percent: 100,
    suspicious_names: null,
  });
  expect(await retention.isHeld(service.accountId)).toBe(true);
  expect(await alarms.list(service.accountId, 10)).toMatchObject([{ sessionId: session, reasons: ['mass_rewrite'] }]);
});

test('evaluates a delta manifest by its differences', async () => {
  const service = await TestService.open();
  const recorded = endpoint(service, 'whk', ['security.ransomware_detected']);
  const device = await service.register();
  const tree = (word: string) =>
    Array.from({ length: 100 }, (_, index) => file(`/d/${100 + index}`, [`${word} ${index}`]));
  const run = await service.backUp(device, 'docs', tree('plain'));
  const files = tree('sealed').slice(0, 60);
  const init = await service.init(device, 'docs', files, { base: run.body.backup_id as string });
  await service.upload(device, init, files);
  expect((await service.complete(device, init.body.session_id as string)).status).toBe(200);
  const data = recorded().map(({ body }) => webhookBody.parse(JSON.parse(body)).data);
  expect(data).toMatchObject([{ files_before: 100, files_rewritten: 60, reasons: ['mass_rewrite'] }]);
});
