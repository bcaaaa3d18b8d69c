import { expect, test } from 'vitest';
import { chunk, file, TestService } from '../harness.ts';

/** Returns a function that downloads a blob of 38 bytes with some headers. */
async function stored() {
  const service = await TestService.open();
  const device = await service.register();
  await service.backUp(device, 'docs', [file('/a', ['0123456789'])]);
  const { body } = await service.manifest(device, 'docs');
  const request = { restore_session_id: body.restore_session_id as string, chunk_hashes: [chunk('0123456789').hash] };
  const presigned = await service.post('/functions/v1/restore/presign', device.token, request);
  const { url } = presigned.body.downloads[0] as { url: string };
  return (headers: object) => service.call('GET', url, undefined, undefined, headers);
}

test.each([
  ['bytes=0-0', 0, 1],
  ['bytes=12-21', 12, 22],
  ['bytes=30-', 30, 38],
  ['bytes=-4', 34, 38],
  ['bytes=-400', 0, 38],
  ['bytes=30-400', 30, 38],
])('answers the range %s with that part', async (range, from, to) => {
  const get = await stored();
  const { status, headers, body } = await get({ range });
  expect(status).toBe(206);
  expect(headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/38`);
  expect(headers.get('content-length')).toBe(String(to - from));
  expect(body).toEqual(Buffer.from(chunk('0123456789').blob.subarray(from, to)));
});

test.each([
  {},
  { range: 'bytes=0-1,3-4' },
  { range: 'lines=1-2' },
  { range: 'bytes=5-2' },
  { range: 'bytes=0-1', 'if-range': '"x"' },
])('answers %j with the whole', async (headers) => {
  const get = await stored();
  const answer = await get(headers);
  expect([answer.status, answer.headers.get('accept-ranges'), (answer.body as Buffer).length]).toEqual([
    200,
    'bytes',
    38,
  ]);
});

test.each(['bytes=38-', 'bytes=100-200', 'bytes=-0'])('refuses the range %s beyond the end', async (range) => {
  const get = await stored();
  const { status, headers } = await get({ range });
  expect([status, headers.get('content-range')]).toEqual([416, 'bytes */38']);
});
