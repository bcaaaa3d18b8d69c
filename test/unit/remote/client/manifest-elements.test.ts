import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkReference } from '../../../../src/protocol/chunk.ts';
import { restoreFileEntry } from '../../../../src/protocol/restore.ts';
import { neededChunksOf, restoreElementsOf } from '../../../../src/remote/client/manifest-elements.ts';

/** Valid and nearly valid values. */
const oneOf = (...values: readonly unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);
const hash = oneOf(`sha256:${'0a'.repeat(32)}`, `sha256:${'0A'.repeat(32)}`, `sha256:${'0a'.repeat(31)}`, 'sha256:', 7);
const size = oneOf(1, 0, -1, 1.5, 2 ** 53, 2 ** 53 - 1, '1', null, undefined, Number.NaN);
const path = oneOf(
  '/a',
  '/a/b',
  '/.a',
  '/..a',
  'C:/a',
  '',
  '/',
  'a',
  '/a/',
  '//a',
  '/a/../b',
  '/./a',
  '/a\0',
  '/…/ü',
  '/a\n',
  1,
);
const time = oneOf(
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.678Z',
  '2026-02-30T03:04:05Z',
  '2024-02-29T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-12-31T23:59:59.999999999Z',
  '2026-01-02T03:04:05+02:00',
  '2026-13-02T03:04:05Z',
  '2026-01-02T24:04:05Z',
  '2026-01-02T03:04Z',
  '2026-01-02',
  0,
);

test('reads every chunk that the schema accepts, and takes no size for one that is wrong', () => {
  fc.assert(
    fc.property(fc.oneof(fc.record({ hash, size }), oneOf(null, 'text', [], undefined)), (element) => {
      const { chunks, malformed } = neededChunksOf([element]);
      const { data } = chunkReference.safeParse(element);
      if (data) expect(chunks).toEqual([data]);
      expect(chunks.length + malformed).toBe(1);
      const name = (element as { hash?: unknown } | null | undefined)?.hash;
      expect(chunks).toHaveLength(typeof name === 'string' && /^sha256:[0-9a-f]{64}$/i.test(name) ? 1 : 0);
      const given = (element as { size?: unknown } | null | undefined)?.size;
      for (const chunk of chunks) expect(chunk.size).toBe(Number.isSafeInteger(given) && Number(given) > 0 ? given : 0);
    }),
    { numRuns: 500 },
  );
});

test('reads every file that the schema accepts, with its times in UTC', () => {
  const file = fc.record({
    path,
    size,
    modified: time,
    chunks: fc.oneof(fc.array(hash, { maxLength: 2 }), oneOf('x')),
  });
  fc.assert(
    fc.property(file, (element) => {
      const { files, malformed } = restoreElementsOf([element]);
      const { data } = restoreFileEntry.safeParse(element);
      if (data) {
        expect(files).toMatchObject([{ path: data.path, size: data.size, chunks: data.chunks }]);
        expect(Date.parse(files[0]!.modified)).toBe(Date.parse(data.modified));
        expect(files[0]!.modified).toMatch(/Z$/);
      }
      expect(files.length + malformed.length).toBe(1);
      for (const { chunks } of files) for (const name of chunks) expect(name).toMatch(/^sha256:[0-9a-f]{64}$/);
    }),
    { numRuns: 3000 },
  );
});

test('passes valid files on beside malformed ones, which have their paths', () => {
  const file = { path: '/a', size: 0, modified: '2026-01-02T03:04:05Z', chunks: [] };
  const elements = [
    file,
    { ...file, path: '/b', size: -1 },
    null,
    'text',
    { ...file, path: '/../c' },
    { ...file, path: '/d' },
  ];
  expect(restoreElementsOf(elements)).toEqual({
    files: [file, { ...file, path: '/d' }],
    malformed: [{ path: '/b' }, { path: undefined }, { path: undefined }, { path: undefined }],
  });
});
