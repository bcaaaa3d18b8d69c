import { describe, expect, test } from 'vitest';
import { withFileNames } from '../../../../src/agent/operations/mount/mounted-devices.ts';

describe('names of folders for devices and sets', () => {
  test.each([
    [
      ['docs', 'photos'],
      ['docs', 'photos'],
    ],
    [
      ['a/b', 'a_b'],
      ['a_b', 'a_b (2)'],
    ],
    [
      ['', '.', '..'],
      ['_', '_ (2)', '_ (3)'],
    ],
    [['line\nbreak\u001b[2J'], ['line_break_[2J']],
    [
      ['same', 'same', 'same'],
      ['same', 'same (2)', 'same (3)'],
    ],
  ])('are valid and different for %j', (names, expected) => {
    expect(withFileNames(names.map((name) => ({ name }))).map(({ name }) => name)).toEqual(expected);
  });

  test('are no longer than a file name, whatever their letters', () => {
    for (const letter of ['x', 'ü', '漢', '😀']) {
      const names = withFileNames([{ name: letter.repeat(300) }, { name: letter.repeat(300) }]);
      for (const { name } of names) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name.isWellFormed()).toBe(true);
      }
      expect(names[0]!.name).not.toBe(names[1]!.name);
    }
  });
});
