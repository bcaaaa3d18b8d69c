import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Asar } from '../../../../scripts/package/asar.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-asar-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes an archive whose list was made of the announced texts, and which contains the others. */
function archive(announced: readonly string[], contained: readonly string[]): Asar {
  let offset = 0;
  const files = announced.map((text, index) => {
    const entry = {
      size: text.length,
      offset: String(offset),
      integrity: { algorithm: 'SHA256', hash: createHash('sha256').update(text).digest('hex') },
    };
    offset += text.length;
    return [`${index}.js`, entry] as const;
  });
  const list = JSON.stringify({
    files: { dist: { files: Object.fromEntries(files) }, 'x.node': { size: 4, unpacked: true } },
  });
  const padding = (4 - (list.length % 4)) % 4;
  const head = Buffer.alloc(16);
  for (const [at, value] of [4, list.length + padding + 8, list.length + padding + 4, list.length].entries())
    head.writeUInt32LE(value, at * 4);
  const file = join(folder, 'app.asar');
  writeFileSync(file, Buffer.concat([head, Buffer.from(list), Buffer.alloc(padding), Buffer.from(contained.join(''))]));
  return new Asar(file);
}

test('an archive has the files of its list', () => {
  expect(archive(['one', 'three'], ['one', 'three']).files.map(({ path, size }) => [path, size])).toEqual([
    ['dist/0.js', 3],
    ['dist/1.js', 5],
    ['x.node', 4],
  ]);
});

test.each([
  ['nothing', ['one', 'three'], []],
  ['a file that has changed', ['two', 'three'], ['dist/0.js']],
  ['a file that has grown, and all after it', ['on(e)', 'three'], ['dist/0.js', 'dist/1.js']],
  ['what is cut off', ['one', 'thr'], ['dist/1.js']],
])('damaged is %s', (_name, contained, expected) => {
  expect(archive(['one', 'three'], contained).damaged()).toEqual(expected);
});
