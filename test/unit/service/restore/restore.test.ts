import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chunk, file, TestService } from '../harness.ts';
import type { Answer, TestDevice, TestFile } from '../harness.ts';

const HOUR = 3_600_000;
const YEARS = 3650 * 24 * HOUR;
/** Time between two runs; tokens are valid for an hour. */
const STEP = HOUR / 6;

async function withBackup(files: readonly TestFile[]): Promise<{ service: TestService; device: TestDevice }> {
  const service = await TestService.open();
  const device = await service.register();
  await service.backUp(device, 'docs', files);
  return { service, device };
}

function pathsOf(answer: Answer): string[] {
  return (answer.body.files as { path: string }[]).map(({ path }) => path);
}

describe('manifest', () => {
  test('returns the files as they were sent, with the totals', async () => {
    const files = [
      file('/home/anna/a.txt', ['one', 'two', 'one']),
      file('/home/anna/b', [], '2026-01-02T03:04:05.678901Z'),
      file('/home/anna/c', ['two'], '2026-01-02T05:04:05.678+02:00'),
    ];
    const { service, device } = await withBackup(files);
    const { status, body } = await service.manifest(device, 'docs');
    expect(status).toBe(200);
    expect(body).toEqual({
      restore_session_id: expect.stringMatching(/^rst_/) as string,
      point_in_time: '2026-03-01T10:00:00.000Z',
      files: [
        {
          path: '/home/anna/a.txt',
          size: 9,
          modified: '2026-01-02T03:04:05.678Z',
          chunks: ['one', 'two', 'one'].map((text) => chunk(text).hash),
        },
        { path: '/home/anna/b', size: 0, modified: '2026-01-02T03:04:05.678901Z', chunks: [] },
        { path: '/home/anna/c', size: 3, modified: '2026-01-02T03:04:05.678Z', chunks: [chunk('two').hash] },
      ],
      total_files: 3,
      total_chunks: 4,
      unique_chunks: 2,
      total_bytes: 12,
    });
  });

  test('finds restore points by when they were completed after a clock that was far ahead', async () => {
    const service = await TestService.open();
    const { id, key } = await service.register();
    const signedIn = async (): Promise<TestDevice> => ({ id, key, token: await service.tokenOf(id) });
    const run = async (name: string): Promise<number> => {
      const at = service.clock.now();
      await service.backUp(await signedIn(), 'docs', [file(`/${name}`, [name])]);
      return at;
    };
    const found = async (at: number): Promise<string[]> =>
      pathsOf(await service.manifest(await signedIn(), 'docs', { point_in_time: new Date(at).toISOString() }));
    const first = await run('first');
    service.clock.advance(YEARS);
    await run('ahead');
    service.clock.advance(-YEARS);
    const { body } = await service.manifest(await signedIn(), 'docs', { point_in_time: '2200-01-01T00:00:00.000Z' });
    const ahead = Date.parse(body.point_in_time as string);
    service.clock.advance(STEP);
    const second = await run('second');
    service.clock.advance(STEP);
    const third = await run('third');
    expect(await found(first)).toEqual(['/first']);
    expect(await found(second)).toEqual(['/second']);
    expect(await found(second + STEP / 2)).toEqual(['/second']);
    expect(await found(third)).toEqual(['/third']);
    expect(await found(ahead)).toEqual(['/ahead']);
    expect(await found(ahead + YEARS)).toEqual(['/third']);
  });

  const TREE = [
    '/a/b',
    '/a/b\u0001',
    '/a/b\u0002',
    '/a/b/c',
    '/a/b/d/e',
    '/a/b/d/f',
    '/a/b/d\u{10ffff}',
    '/a/b/d/\u{10ffff}z',
    '/a/b/é',
    '/a/bc',
    '/a/b c',
    '/top',
    'C:/Users/anna',
    'C:/x',
  ];
  test.each([
    ['', true, TREE],
    ['/', true, TREE],
    ['/a/b', true, TREE.filter((path) => path === '/a/b' || path.startsWith('/a/b/'))],
    ['/a/b/', true, TREE.filter((path) => path === '/a/b' || path.startsWith('/a/b/'))],
    ['/a/bc', true, ['/a/bc']],
    ['/a/b/d', true, TREE.filter((path) => path.startsWith('/a/b/d/'))],
    ['/a/x', true, []],
    ['C:', true, ['C:/Users/anna', 'C:/x']],
    ['C:/Users', true, ['C:/Users/anna']],
    ['', false, [], ['/a', '/top', 'C:']],
    ['/a', false, TREE.filter((path) => path.split('/').length === 3 && path.startsWith('/a/')), ['/a/b']],
    ['/a/b', false, ['/a/b', '/a/b/c', '/a/b/d\u{10ffff}', '/a/b/é'], ['/a/b/d']],
    ['C:', false, ['C:/x'], ['C:/Users']],
    ['/a/bc', false, ['/a/bc'], []],
  ])(
    'of %j (recursive: %j) matches whole path segments only',
    async (path, recursive, wanted, directories?: string[]) => {
      const { service, device } = await withBackup(TREE.map((one) => file(one, [])));
      const answer = await service.manifest(device, 'docs', { path, recursive });
      // "/top" is a file directly inside of the root.
      const files = path === '' && !recursive ? ['/top'] : wanted;
      expect(pathsOf(answer).toSorted()).toEqual([...files].toSorted());
      expect(answer.body.total_files).toBe(files.length);
      const folders = directories?.filter((one) => one !== '/top');
      expect((answer.body.directories as string[] | undefined)?.toSorted()).toEqual(folders?.toSorted());
    },
  );

  test('lists a directory beside many files and folders', async () => {
    const names = Array.from({ length: 2_500 }, (_, index) => `/d/${String(index).padStart(4, '0')}`);
    const files = names.flatMap((name, index) => (index % 500 === 0 ? [`${name}/x`, `${name}/y/z`] : [name]));
    const { service, device } = await withBackup(files.map((one) => file(one, [])));
    const answer = await service.manifest(device, 'docs', { path: '/d', recursive: false });
    expect(pathsOf(answer)).toEqual(names.filter((_, index) => index % 500 !== 0));
    expect(answer.body.directories).toEqual(names.filter((_, index) => index % 500 === 0));
  });

  test('is of the newest restore point at or before the time', async () => {
    const service = await TestService.open();
    const device = await service.register();
    const points: string[] = [];
    for (const name of ['/1', '/2', '/3']) {
      points.push((await service.backUp(device, 'docs', [file(name, [])])).body.restore_point as string);
      service.clock.advance(STEP);
    }
    const at = (time: number) => service.manifest(device, 'docs', { point_in_time: new Date(time).toISOString() });
    const second = Date.parse(points[1]!);
    for (const time of [second, second + 1, second + STEP - 1]) {
      const answer = await at(time);
      expect([answer.body.point_in_time, pathsOf(answer)]).toEqual([points[1], ['/2']]);
    }
    expect(pathsOf(await at(second - 1))).toEqual(['/1']);
    expect(pathsOf(await at(Date.parse('2100-01-01')))).toEqual(['/3']);
    const tooEarly = await at(Date.parse(points[0]!) - 1);
    expect(tooEarly).toMatchObject({ status: 404, body: { code: 'no_restore_point' } });
    expect(tooEarly.body.nearest_restore_points).toEqual([points[0]]);
  });

  test('responds 404 to unknown things, and 400 to malformed requests', async () => {
    const { service, device } = await withBackup([]);
    expect((await service.manifest(device, 'photos')).status).toBe(404);
    expect((await service.manifest(device, 'docs', { device_id: 'dev_unknown' })).status).toBe(404);
    expect((await service.manifest(device, 'docs', { point_in_time: 'yesterday' })).status).toBe(400);
    await service.init(device, 'begun', []);
    const begun = await service.manifest(device, 'begun');
    expect(begun).toMatchObject({ status: 404, body: { code: 'no_restore_point', nearest_restore_points: [] } });
  });

  test('is allowed for another device of the account, but not of another account', async () => {
    const { service, device } = await withBackup([file('/a', ['x'])]);
    const other = await service.register();
    const answer = await service.manifest(other, 'docs', { device_id: device.id });
    expect(pathsOf(answer)).toEqual(['/a']);
    const stranger = await service.register((await service.service.context.metadata.accounts.createAccount(0)).id);
    expect((await service.manifest(stranger, 'docs', { device_id: device.id })).status).toBe(404);
  });
});

describe('presign and GET', () => {
  const presign = (service: TestService, device: TestDevice, id: string, hashes: readonly string[]) =>
    service.post('/functions/v1/restore/presign', device.token, { restore_session_id: id, chunk_hashes: hashes });

  test('return the blobs', async () => {
    const large = chunk(300_000);
    const { service, device } = await withBackup([file('/a', ['one', large])]);
    const { body } = await service.manifest(device, 'docs');
    const hashes = [large.hash, chunk('one').hash, large.hash];
    const answer = await presign(service, device, body.restore_session_id as string, hashes);
    const downloads = answer.body.downloads as { hash: string; url: string; size: number; expires_in: number }[];
    expect(downloads.map(({ hash }) => hash)).toEqual(hashes);
    expect(downloads.map(({ size, expires_in: seconds }) => [size, seconds])).toEqual([
      [300_028, 900],
      [31, 900],
      [300_028, 900],
    ]);
    for (const { url, hash, size } of downloads) {
      const got = await service.call('GET', url);
      expect(got.headers.get('x-content-type-options')).toBe('nosniff');
      expect([got.status, got.headers.get('content-length')]).toEqual([200, String(size)]);
      expect(got.body).toEqual(Buffer.from(hash === large.hash ? large.blob : chunk('one').blob));
    }
  });

  test('are limited to chunks of the requested part of the tree', async () => {
    const { service, device } = await withBackup([file('/a/x', ['inside']), file('/b/y', ['outside'])]);
    const { body } = await service.manifest(device, 'docs', { path: '/a' });
    const id = body.restore_session_id as string;
    expect((await presign(service, device, id, [chunk('inside').hash])).status).toBe(200);
    for (const text of ['outside', 'nowhere']) {
      const refused = await presign(service, device, id, [chunk('inside').hash, chunk(text).hash]);
      expect(refused).toMatchObject({ status: 422, body: { code: 'chunk_not_in_session' } });
    }
    expect((await presign(service, device, 'rst_unknown', [])).status).toBe(404);
    expect((await presign(service, device, id, ['nonsense'])).status).toBe(400);
    const many = Array.from({ length: 1_001 }, () => chunk('inside').hash);
    expect(await presign(service, device, id, many)).toMatchObject({ status: 413, body: { code: 'too_large' } });
    expect((await presign(service, device, id, many.slice(1))).body.downloads).toHaveLength(1_000);
  });

  test.each([true, false])('work after a restart (recursive: %j)', async (recursive) => {
    const { service, device } = await withBackup([
      file('/a/x', ['inside']),
      file('/a/b/y', ['deeper']),
      file('/c', ['out']),
    ]);
    const { body } = await service.manifest(device, 'docs', { path: '/a', recursive });
    const id = body.restore_session_id as string;
    await service.close();
    const again = await TestService.open(service.directory, service.clock);
    expect((await presign(again, device, id, [chunk('inside').hash])).status).toBe(200);
    expect((await presign(again, device, id, [chunk('deeper').hash])).status).toBe(recursive ? 200 : 422);
    expect((await presign(again, device, id, [chunk('out').hash])).status).toBe(422);
    again.clock.advance(8 * 24 * HOUR);
    const late = { ...device, token: await again.tokenOf(device.id) };
    expect((await presign(again, late, id, [chunk('inside').hash])).status).toBe(404);
  });

  test('report a missing blob, and the next backup uploads it again', async () => {
    const large = chunk(300_000);
    const files = [file('/a', [large, 'small']), file('/b', ['small'])];
    const { service, device } = await withBackup(files);
    await rm(join(service.directory, 'objects', service.accountId), { recursive: true });
    const { body } = await service.manifest(device, 'docs');
    const first = await presign(service, device, body.restore_session_id as string, [large.hash]);
    expect((await service.call('GET', first.body.downloads[0].url as string)).status).toBe(404);
    const second = await presign(service, device, body.restore_session_id as string, [large.hash]);
    expect(second.body.downloads).toEqual([]);
    // Unchanged files still refer to it.
    const init = await service.init(device, 'docs', files);
    expect(init.body.chunks_needed).toEqual([{ hash: large.hash, size: 300_000 }]);
    expect(init.body.chunks_deduped).toBe(1);
    expect((await service.complete(device, init.body.session_id as string)).status).toBe(409);
    await service.close();
    const again = await TestService.open(service.directory, service.clock);
    await again.upload(device, init, files);
    expect((await again.complete(device, init.body.session_id as string)).status).toBe(200);
    const third = await presign(again, device, body.restore_session_id as string, [large.hash]);
    const got = await again.call('GET', third.body.downloads[0].url as string);
    expect(got.body).toEqual(Buffer.from(large.blob));
  });
});
