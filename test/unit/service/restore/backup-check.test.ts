import { beforeEach, describe, expect, test } from 'vitest';
import { chunk, file, TestService } from '../harness.ts';
import type { Answer, TestDevice } from '../harness.ts';
import { packIndex } from '../../../../src/protocol/bodies/blob-pack.ts';

let service: TestService;
let device: TestDevice;
let session: string;
const stored = chunk('stored by another device');

beforeEach(async () => {
  service = await TestService.open();
  const other = await service.register();
  await service.backUp(other, 'docs', [file('/a', [stored])]);
  device = await service.register();
  service
    .openDatabase()
    .connection.prepare(
      'INSERT INTO webhook_endpoint (id, account_id, url, events_json, secret, created_at) VALUES (?, ?, ?, ?, ?, 0)',
    )
    .run('whk_all', service.accountId, 'https://example.com', '[]', 'secret');
  session = (await service.openSession(device, 'docs')).body.session_id as string;
});

function presign(hashes: readonly string[], by = device): Promise<Answer> {
  return service.post('/functions/v1/restore/presign', by.token, { restore_session_id: session, chunk_hashes: hashes });
}

function events(): readonly string[] {
  const { connection } = service.openDatabase();
  return connection.prepare<[], string>('SELECT event FROM webhook_delivery ORDER BY rowid').pluck().all();
}

describe('a backup session', () => {
  test('downloads stored chunks of its account, alone and in packs, and reports no restore', async () => {
    expect(events()).toEqual(['backup.started']);
    const { status, body } = await presign([stored.hash]);
    expect(status).toBe(200);
    const answer = await service.call('GET', body.downloads[0].url as string);
    expect(Buffer.compare(answer.body as Buffer, stored.blob)).toBe(0);
    const pack = await service.post('/functions/v1/restore/pack', device.token, { restore_session_id: session });
    const index = packIndex([{ digest: Buffer.from(stored.hash.slice(7), 'hex'), bytes: 0, size: 0 }]);
    const packed = await service.call('POST', pack.body.url as string, undefined, index, {
      'content-length': String(index.length),
    });
    expect((packed.body as Buffer).subarray(index.length)).toEqual(Buffer.from(stored.blob));
    expect(events()).toEqual(['backup.started']);
  });

  test('downloads nothing of another account, and nothing that is not stored', async () => {
    expect((await presign([chunk('unknown').hash])).status).toBe(422);
    const { accounts } = service.service.context.metadata;
    const stranger = await service.register((await accounts.createAccount(0)).id);
    session = (await service.openSession(stranger, 'docs')).body.session_id as string;
    expect((await presign([stored.hash], stranger)).status).toBe(422);
  });

  test('belongs to its device, which needs both permissions', async () => {
    expect((await presign([stored.hash], await service.register())).status).toBe(403);
    const { devices } = service.service.context.metadata;
    for (const permission of ['backup', 'restore'] as const) {
      const known = (await devices.find(device.id))!;
      const id = `dev_only_${permission}`;
      await devices.register({ ...known, id, permissions: [permission] }, service.clock.now(), {
        event: 'device.registered',
        data: {
          device_id: id,
          device_name: known.name,
          os: known.os,
          agent_version: known.agentVersion,
          registered_at: new Date(service.clock.now()).toISOString(),
        },
      });
      const limited = { id, key: '', token: await service.tokenOf(id) };
      const opened = await service.openSession(limited, 'docs');
      if (permission === 'backup') session = opened.body.session_id as string;
      expect((await presign([stored.hash], limited)).status).toBe(403);
    }
  });

  test('downloads at most 64 chunks, and none after it has ended', async () => {
    expect((await presign(Array.from({ length: 64 }, () => stored.hash))).status).toBe(200);
    expect((await presign([stored.hash])).status).toBe(413);
    session = (await service.openSession(device, 'docs')).body.session_id as string;
    const pack = await service.post('/functions/v1/restore/pack', device.token, { restore_session_id: session });
    await service.post('/functions/v1/backup/abort', device.token, { session_id: session });
    expect((await presign([stored.hash])).status).toBe(409);
    const index = packIndex([{ digest: Buffer.from(stored.hash.slice(7), 'hex'), bytes: 0, size: 0 }]);
    const late = await service.call('POST', pack.body.url as string, undefined, index, {
      'content-length': String(index.length),
    });
    expect(late.status).toBe(409);
  });
});
