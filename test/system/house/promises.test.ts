import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const DOCS = join(ROOT, 'docs');
const promises = readFileSync(join(DOCS, 'promises.md'), 'utf8');

/** A text whose lines were broken elsewhere, and whose lines may begin with the sign of a comment. */
function flat(text: string): string {
  return text.replaceAll(/\n(?:# )?/g, ' ').replaceAll(/ +/g, ' ');
}

test('every test that docs/promises.md names exists', () => {
  const named = [...promises.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

describe('the sentences that docs/promises.md quotes', () => {
  const rows = [
    ...promises.slice(promises.indexOf('## Sentences of the documents')).matchAll(/^\| (\S+) \| “(.+?)” \| (.+) \|$/gm),
  ];

  test('are found', () => expect(rows.length).toBeGreaterThan(20));

  test.each(rows.map(([, document, sentence]) => [document!, sentence!]))('%s says “%s”', (document, sentence) => {
    expect(flat(readFileSync(join(DOCS, document), 'utf8'))).toContain(sentence);
  });
});

describe('the tests that docs/promises.md quotes', () => {
  /** Names of tests behind their file. A part that varies is left out as an ellipsis. */
  const quoted = [...promises.matchAll(/`(test\/[^`]+\.ts)`: ((?:“[^”]+”(?:, )?)+)/g)].flatMap(([, file, names]) =>
    [...names!.matchAll(/“([^”]+)”/g)].map(([, name]) => [file!, name!] as const),
  );

  test('are found', () => expect(quoted.length).toBeGreaterThan(20));

  test.each(quoted)('%s has “%s”', (file, name) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const part of name.split('…')) expect(text).toContain(part.trim());
  });
});
