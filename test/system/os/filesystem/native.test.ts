import { execFileSync } from 'node:child_process';
import { closeSync, lstatSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setFileTimesSync, setTimesSync } from '../../../../src/os/filesystem/times.ts';
import { readXattrsSync, writeXattrsSync } from '../../../../src/os/filesystem/xattrs.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-native-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program of the operating system. */
function python(code: string, ...args: string[]): string {
  return execFileSync('python3', ['-c', `import os,sys\n${code}`, ...args])
    .toString()
    .trim();
}

describe('setFileTimesSync', () => {
  test('sets any nanosecond of an open file and keeps the access time', () => {
    const path = join(folder, 'open');
    const file = openSync(path, 'w');
    try {
      const before = lstatSync(path, { bigint: true }).atimeNs;
      for (const mtimeNs of [0n, -1n, 1n, 1_700_000_000_123_456_789n]) {
        setFileTimesSync(file, path, { mtimeNs });
        expect(lstatSync(path, { bigint: true })).toMatchObject({ mtimeNs, atimeNs: before });
      }
    } finally {
      closeSync(file);
    }
  });
});

describe('setTimesSync', () => {
  test('sets any nanosecond of a file, also before 1970', () => {
    const path = join(folder, 'times');
    writeFileSync(path, '');
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 30n) * 10n ** 9n, max: 4n * 10n ** 18n }), (mtimeNs) => {
        setTimesSync(path, { mtimeNs });
        expect(lstatSync(path, { bigint: true }).mtimeNs).toBe(mtimeNs);
      }),
      { examples: [[0n], [-1n], [1n], [1_700_000_000_123_456_789n]] },
    );
  });

  test('keeps the access time', () => {
    const path = join(folder, 'access');
    writeFileSync(path, '');
    const before = lstatSync(path, { bigint: true }).atimeNs;
    setTimesSync(path, { mtimeNs: 5n });
    expect(lstatSync(path, { bigint: true }).atimeNs).toBe(before);
  });

  test("sets the times of folders and of links, but not of a link's target", () => {
    const target = join(folder, 'pointed-to');
    mkdirSync(target);
    setTimesSync(target, { mtimeNs: 1_000_000_007n });
    const link = join(folder, 'link');
    symlinkSync('pointed-to', link);
    setTimesSync(link, { mtimeNs: 2_000_000_009n });
    expect(python('print(os.lstat(sys.argv[1]).st_mtime_ns, os.stat(sys.argv[1]).st_mtime_ns)', link)).toBe(
      '2000000009 1000000007',
    );
  });

  test('accepts names that are not valid UTF-8', () => {
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff, 0xfe])]);
    writeFileSync(path, '');
    setTimesSync(path, { mtimeNs: 123_456_789_012_345_678n });
    expect(lstatSync(path, { bigint: true }).mtimeNs).toBe(123_456_789_012_345_678n);
  });

  test.each([
    ['a path that is not there', () => join(folder, 'none'), 'ENOENT'],
    ['a path that is too long', () => `/${'a/'.repeat(4000)}`, 'ENAMETOOLONG'],
    ['a path with a NUL', () => `${folder}/times\0x`, 'ERR_INVALID_ARG_VALUE'],
  ])('throws for %s', (_name, path, code) => {
    expect(() => setTimesSync(path(), { mtimeNs: 0n })).toThrow(expect.objectContaining({ code }));
  });
});

describe('extended attributes', () => {
  test('reads attributes from setfattr, and returns `undefined` without any', () => {
    const path = join(folder, 'attributes');
    writeFileSync(path, '');
    expect(readXattrsSync(path)).toBeUndefined();
    execFileSync('setfattr', ['-n', 'user.holdfast', '-v', '0x00ff41', path]);
    execFileSync('setfattr', ['-n', 'user.empty', path]);
    expect(readXattrsSync(path)).toEqual({
      'user.holdfast': Uint8Array.of(0, 255, 65),
      'user.empty': new Uint8Array(),
    });
    expect(readXattrsSync(join(folder, 'gone'))).toBeUndefined();
  });

  test('writes attributes of any bytes that other programs can read', () => {
    const path = join(folder, 'written');
    writeFileSync(path, '');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), (value) => {
        expect(writeXattrsSync(path, { 'user.é': value })).toEqual([]);
        expect(readXattrsSync(path)).toEqual({ 'user.é': value });
      }),
    );
    writeXattrsSync(path, { 'user.é': Uint8Array.of(1, 2, 0xfe) });
    expect(python("print(os.getxattr(sys.argv[1], 'user.é').hex())", path)).toBe('0102fe');
  });

  test('returns the attributes that the system refuses, with the reason', () => {
    const path = join(folder, 'refused');
    writeFileSync(path, '');
    const refused = writeXattrsSync(path, { 'com.apple.metadata:x': Uint8Array.of(1), 'user.fine': Uint8Array.of(2) });
    expect(refused).toEqual([{ name: 'com.apple.metadata:x', code: 'ENOTSUP' }]);
    expect(readXattrsSync(path)).toEqual({ 'user.fine': Uint8Array.of(2) });
  });

  test('never reads or writes through a link', () => {
    const path = join(folder, 'behind');
    writeFileSync(path, '');
    writeXattrsSync(path, { 'user.a': Uint8Array.of(1) });
    const link = join(folder, 'in-front');
    symlinkSync('behind', link);
    expect(readXattrsSync(link)).toBeUndefined();
    expect(writeXattrsSync(link, { 'user.b': Uint8Array.of(1) })).toEqual([{ name: 'user.b', code: 'EPERM' }]);
    expect(Object.keys(readXattrsSync(path) ?? {})).toEqual(['user.a']);
  });
});
