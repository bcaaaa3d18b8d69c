import { describe, expect, test } from 'vitest';
import { chunk, file, TestService } from '../harness.ts';

/** A service with a stored chunk and a needed one, and a URL of each. */
async function addresses() {
  const service = await TestService.open();
  const device = await service.register();
  const stored = chunk('stored');
  const wanted = chunk('wanted');
  await service.backUp(device, 'docs', [file('/a', [stored])]);
  const init = await service.init(device, 'docs', [file('/a', [stored]), file('/b', [wanted])]);
  const upload = await service.post('/functions/v1/backup/presign', device.token, {
    session_id: init.body.session_id as string,
    chunk_hash: wanted.hash,
    chunk_size: wanted.blob.length,
  });
  const manifest = await service.manifest(device, 'docs');
  const download = await service.post('/functions/v1/restore/presign', device.token, {
    restore_session_id: manifest.body.restore_session_id as string,
    chunk_hashes: [stored.hash],
  });
  return {
    service,
    device,
    wanted,
    put: upload.body.upload_url as string,
    get: download.body.downloads[0].url as string,
    hexOf: { stored: stored.hash.slice(7), wanted: wanted.hash.slice(7) },
  };
}

type Tampering = (url: URL, hex: { stored: string; wanted: string }) => void;

const TAMPERINGS: readonly (readonly [string, Tampering])[] = [
  ['no signature', (url) => url.searchParams.delete('signature')],
  ['an empty signature', (url) => url.searchParams.set('signature', '')],
  [
    'a shortened signature',
    (url) => url.searchParams.set('signature', url.searchParams.get('signature')!.slice(0, -4)),
  ],
  ['a lengthened signature', (url) => url.searchParams.set('signature', `${url.searchParams.get('signature')!}AAAA`)],
  ['another signature', (url) => url.searchParams.set('signature', Buffer.alloc(32, 5).toString('base64url'))],
  ['a later end', (url) => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1))],
  ['no end', (url) => url.searchParams.delete('expires')],
  ['an end that is no number', (url) => url.searchParams.set('expires', 'Infinity')],
  ['another size', (url) => url.searchParams.set('size', String(Number(url.searchParams.get('size')) + 1))],
  ['no size', (url) => url.searchParams.delete('size')],
  ['another chunk', (url, hex) => (url.pathname = swapped(url.pathname, hex))],
  ['another account', (url) => (url.pathname = url.pathname.replace(/acc_./, 'acc_!'))],
  ['a way up', (url) => (url.pathname = `${url.pathname}/../../x`)],
  [
    'the other method’s name',
    (url) => url.searchParams.set('method', url.searchParams.get('method') === 'PUT' ? 'GET' : 'PUT'),
  ],
];

describe.each(['PUT', 'GET'] as const)('a presigned %s', (method) => {
  test.each(TAMPERINGS)('with %s is refused', async (_, tamper) => {
    const { service, put, get, wanted, hexOf } = await addresses();
    const url = new URL(method === 'PUT' ? put : get);
    tamper(url, hexOf);
    const answer = await service.call(method, url.href, undefined, method === 'PUT' ? wanted.blob : undefined);
    expect([403, 404]).toContain(answer.status);
    expect(answer.body.code).toBe(answer.status === 403 ? 'url_invalid' : 'not_found');
    // The unchanged URL works.
    const good = await service.call(
      method,
      method === 'PUT' ? put : get,
      undefined,
      method === 'PUT' ? wanted.blob : undefined,
    );
    expect(good.status).toBe(200);
  });

  test('is valid for 900 seconds', async () => {
    const { service, put, get, wanted } = await addresses();
    const call = () =>
      service.call(method, method === 'PUT' ? put : get, undefined, method === 'PUT' ? wanted.blob : undefined);
    service.clock.advance(900_000);
    expect(await call()).toMatchObject({ status: 403, body: { code: 'url_invalid' } });
    service.clock.advance(-1);
    expect((await call()).status).toBe(200);
  });

  test('is invalid for another method', async () => {
    const { service, put, get, wanted } = await addresses();
    const other = method === 'PUT' ? 'GET' : 'PUT';
    const answer = await service.call(
      other,
      method === 'PUT' ? put : get,
      undefined,
      other === 'PUT' ? wanted.blob : undefined,
    );
    expect(answer).toMatchObject({ status: 403, body: { code: 'url_invalid' } });
  });

  test('of another store is refused', async () => {
    const { put, get, wanted } = await addresses();
    const { service } = await addresses();
    const answer = await service.call(
      method,
      method === 'PUT' ? put : get,
      undefined,
      method === 'PUT' ? wanted.blob : undefined,
    );
    expect(answer.status).toBe(403);
  });
});

test('a URL of an ended session is invalid once the session is swept', async () => {
  const { service, device, put, wanted } = await addresses();
  const files = [file('/c', ['else'])];
  const init = await service.init(device, 'docs', files);
  const upload = await service.post('/functions/v1/backup/presign', device.token, {
    session_id: init.body.session_id as string,
    chunk_hash: chunk('else').hash,
    chunk_size: chunk('else').blob.length,
  });
  await service.post('/functions/v1/backup/abort', device.token, { session_id: init.body.session_id });
  while (await service.service.context.metadata.sessions.sweep());
  const refused = await service.call('PUT', upload.body.upload_url as string, undefined, chunk('else').blob);
  expect(refused).toMatchObject({ status: 403, body: { code: 'url_invalid' } });
  // The other session still waits for its chunk.
  expect((await service.call('PUT', put, undefined, wanted.blob)).status).toBe(200);
});

function swapped(path: string, hex: { stored: string; wanted: string }): string {
  return path.includes(hex.stored) ? path.replace(hex.stored, hex.wanted) : path.replace(hex.wanted, hex.stored);
}
