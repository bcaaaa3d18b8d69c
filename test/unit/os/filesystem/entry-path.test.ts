import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryPathOfWindows, windowsPathOf } from '../../../../src/os/filesystem/names/entry-path.ts';
import { isEntryPath } from '../../../../src/protocol/path.ts';

test.each([
  [String.raw`C:\Users\Anna\a.txt`, 'C:/Users/Anna/a.txt'],
  ['C:\\', 'C:/'],
  [String.raw`\\nas\photos`, '/nas/photos'],
  ['\\\\nas\\photos\\', '/nas/photos'],
  [String.raw`\\nas\photos\2026\a.jpg`, '/nas/photos/2026/a.jpg'],
  ['//nas/photos/2026', '/nas/photos/2026'],
])('the entry path of %s is %s', (path, entry) => {
  expect(entryPathOfWindows(path)).toBe(entry);
});

test('the entry path of a file on a drive or a share is valid, and leads back to it', () => {
  const name = fc.stringMatching(/^[a-z0-9$ .-]{1,6}$/).filter((text) => text !== '.' && text !== '..');
  const root = fc.oneof(
    fc.constantFrom('C:', 'D:'),
    fc.tuple(name, name).map(([server, share]) => `\\\\${server}\\${share}`),
  );
  fc.assert(
    fc.property(root, fc.array(name, { minLength: 1, maxLength: 4 }), (top, names) => {
      const path = [top, ...names].join('\\');
      const entry = entryPathOfWindows(path);
      expect(isEntryPath(entry)).toBe(true);
      expect(windowsPathOf(entry).replaceAll('/', '\\')).toBe(path);
    }),
  );
});
