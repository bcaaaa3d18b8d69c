import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { warm, warmBytes } from '../../../bench/compare/warm.ts';

const GIBIBYTE = 1024 ** 3;

test.each([
  { why: 'the data that a command writes', data: 4, memory: 24, disk: 100, warmed: 5.2 },
  { why: 'the source stays in the page cache, and programs have room', data: 8, memory: 20, disk: 100, warmed: 8 },
  { why: 'the disk is nearly full', data: 4, memory: 24, disk: 3, warmed: 2 },
  { why: 'too little memory', data: 8, memory: 10, disk: 100, warmed: 0 },
  { why: 'no disk', data: 4, memory: 24, disk: 0.5, warmed: 0 },
])('$warmed GiB: $why', ({ data, memory, disk, warmed }) => {
  const bytes = warmBytes(data * GIBIBYTE, { memory: memory * GIBIBYTE, disk: disk * GIBIBYTE });
  expect(bytes).toBe(Math.floor(warmed * GIBIBYTE));
});

test('leaves no files behind, and the source unchanged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-warm-'));
  try {
    const [source, location] = [join(folder, 'source'), join(folder, 'place')];
    for (const made of [source, location]) mkdirSync(made);
    writeFileSync(join(source, '-n odd "name"'), 'content');
    warm(source, 20_000_000, location);
    expect(readdirSync(location)).toEqual([]);
    expect(readdirSync(source)).toEqual(['-n odd "name"']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
