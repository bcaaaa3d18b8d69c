import { expect, test } from 'vitest';
import { LONG_HASHES, restoreElementsOf } from '../../../../src/remote/client/manifest-elements.ts';
import { JsonArrayReader } from '../../../../src/protocol/bodies/json-array-stream.ts';

const HASHES = Array.from({ length: 3_000 }, (_, index) => `sha256:${index.toString(16).padStart(64, '0')}`);

function read(chunks: readonly unknown[]) {
  const entry = { path: '/a', size: 3_000, modified: '2026-01-01T00:00:00Z', chunks };
  const bytes = Buffer.from(JSON.stringify({ files: [entry] }));
  const reader = new JsonArrayReader('files', LONG_HASHES);
  const elements: unknown[] = [];
  for (let start = 0; start < bytes.length; start += 10_000) {
    elements.push(...reader.push(bytes.subarray(start, start + 10_000)));
  }
  return restoreElementsOf(elements);
}

test('a long file of a restore manifest has all of its chunks, in order', () => {
  expect(read(HASHES)).toMatchObject({ files: [{ path: '/a', chunks: HASHES }], malformed: [] });
});

test.each([0, 1_500, 2_999])('a long file whose item %s is no hash is malformed', (at) => {
  expect(read(HASHES.with(at, {} as never))).toEqual({ files: [], malformed: [{ path: '/a' }] });
});
