import { expect, test } from 'vitest';
import { exactArguments } from '../../../../src/agent/input/exact-arguments.ts';
import { entryPathOfBytes } from '../../../../src/os/filesystem/names/entry-path.ts';

const lineOf = (...words: readonly (string | Buffer)[]) =>
  Buffer.concat(words.flatMap((word) => [Buffer.from(word), Buffer.of(0)]));
const decoded = (words: readonly (string | Buffer)[]) => words.map((word) => word.toString());
const BYTES = Buffer.from('/w/caf\xe9/f', 'latin1');

test('an argument that is no UTF-8 is written as ls shows the path', () => {
  const words = ['restore', 'w', '--path', BYTES, Buffer.concat([Buffer.from('--path='), BYTES])];
  const path = entryPathOfBytes(BYTES);
  const exact = exactArguments(decoded(words), () => lineOf('node', 'holdfast.cjs', ...words));
  expect(exact).toEqual(['restore', 'w', '--path', path, `--path=${path}`]);
});

test('a name that has the replacement character itself stays', () => {
  const words = ['ls', 'w', '/w/caf\uFFFD'];
  expect(exactArguments(words, () => lineOf('node', ...words))).toEqual(words);
});

test('text is used where the system has nothing else', () => {
  const words = ['ls', 'w', '/w/caf\uFFFD'];
  expect(exactArguments(words, () => undefined)).toBe(words);
});
