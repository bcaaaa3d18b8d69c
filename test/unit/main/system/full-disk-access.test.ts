import { describe, expect, test } from 'vitest';
import { fullDiskAccess } from '../../../../src/main/system/full-disk-access.ts';

/** A Mac whose protected files answer with these codes; without one, a file is opened. */
function mac(...codes: readonly (string | undefined)[]): {
  readonly opened: string[];
  readonly closed: () => number;
  readonly open: (path: string) => Promise<{ close(): Promise<void> }>;
} {
  const opened: string[] = [];
  let closed = 0;
  return {
    opened,
    closed: () => closed,
    open: (path) => {
      const code = codes[opened.length];
      opened.push(path);
      if (code !== undefined) return Promise.reject(Object.assign(new Error(code), { code }));
      return Promise.resolve({
        close: () => {
          closed += 1;
          return Promise.resolve();
        },
      });
    },
  };
}

describe('Full Disk Access', () => {
  test.each([
    ['given', [undefined]],
    ['missing', ['EPERM']],
    ['given', ['ENOENT', undefined]],
    ['missing', ['ENOENT', 'EPERM']],
    // A Mac that has neither, and one whose files somebody else protects.
    ['unknown', ['ENOENT', 'ENOENT']],
    ['unknown', ['EACCES', 'EACCES']],
  ] as const)('is %s after %j', async (expected, codes) => {
    const files = mac(...codes);
    expect(await fullDiskAccess('darwin', '/Users/anna', files.open)).toBe(expected);
    expect(files.opened).toHaveLength(codes.length);
    expect(files.opened[0]).toBe('/Users/anna/Library/Application Support/com.apple.TCC/TCC.db');
    expect(files.closed()).toBe(expected === 'given' ? 1 : 0);
  });

  test('is not asked about on other systems', async () => {
    const files = mac('EPERM');
    expect(await fullDiskAccess('linux', '/home/anna', files.open)).toBe('unknown');
    expect(files.opened).toEqual([]);
  });
});
