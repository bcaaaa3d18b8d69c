import { expect, test } from 'vitest';
import { alignColumns } from '../../../src/cli/columns.ts';

test('aligns columns, with numbers to the right', () => {
  expect(
    alignColumns(
      [
        ['NAME', 'FILES', 'PATH'],
        ['a', '1,000', '/x'],
        ['longer', '5', ''],
      ],
      [1],
    ),
  ).toEqual(['NAME    FILES  PATH', 'a       1,000  /x', 'longer      5']);
});

/** Each name takes a terminal's six columns. */
test.each([
  ['wide characters', '写真集'],
  ['emoji', '🎄🎁🎄'],
  ['combining marks', 'cafe\u0301s\u0327\u0323x'],
  ['full-width letters', 'ＡＢＣ'],
])('aligns the column after %s', (_characters, name) => {
  const rows = [
    ['photos', '/x'],
    [name, '/x'],
    ['a', '/x'],
  ];
  expect(alignColumns(rows)).toEqual(['photos  /x', `${name}  /x`, 'a       /x']);
});
