import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOfSegment, segmentOfBytes } from '../../../../src/os/filesystem/names/entry-path.ts';
import { localTime, nameBases, nameBeside, timeOfNameBeside } from '../../../../src/restore/plan/target-names.ts';

describe('target names', () => {
  test.each([
    [['/home/anna/docs'], ['docs']],
    [
      ['/a/docs', '/b/docs'],
      ['docs', 'docs (b)'],
    ],
    [
      ['/a/docs', '/b/docs', '/c/b/docs'],
      ['docs', 'docs (b)', 'docs (b) 2'],
    ],
    [
      ['/docs', '/x/docs'],
      ['docs', 'docs (x)'],
    ],
    [
      ['C:/docs', 'D:/docs'],
      ['docs', 'docs (D)'],
    ],
    [['/'], ['']],
  ])('%j are named %j', (paths, names) => {
    expect(nameBases(paths).map((base) => base.name)).toEqual(names);
  });

  const time = new Date(2026, 10, 21, 14, 5, 33).getTime();

  test.each([
    ['notes.txt', 1, 'notes (restored 2026-11-21 14.05.33).txt'],
    ['notes.txt', 2, 'notes (restored 2026-11-21 14.05.33) 2.txt'],
    ['archive.tar.gz', 1, 'archive.tar (restored 2026-11-21 14.05.33).gz'],
    ['.profile', 1, '.profile (restored 2026-11-21 14.05.33)'],
    ['plain', 3, 'plain (restored 2026-11-21 14.05.33) 3'],
  ])('%s has a second name, number %d', (name, number, expected) => {
    expect(nameBeside(name, time, number)).toBe(expected);
  });

  test('fit a file system whatever the original name', () => {
    const anyName = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 255 }).filter((bytes) => !bytes.includes(0) && !bytes.includes(0x2f)),
      fc.string({ unit: 'grapheme', minLength: 200, maxLength: 255 }).map((text) => Buffer.from(text).subarray(0, 255)),
    );
    fc.assert(
      fc.property(anyName, fc.integer({ min: 1, max: 99 }), (bytes, number) => {
        const name = segmentOfBytes(bytes);
        const beside = bytesOfSegment(nameBeside(name, time, number));
        const found = timeOfNameBeside(nameBeside(name, time, number), name);
        expect(found === undefined ? undefined : localTime(found)).toBe(localTime(time));
        expect(beside.length).toBeLessThanOrEqual(255);
        expect(beside.includes(' (restored 2026-11-21 14.05.33)')).toBe(true);
      }),
    );
  });
});
