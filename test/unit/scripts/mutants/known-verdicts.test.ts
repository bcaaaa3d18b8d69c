import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KnownVerdicts } from '../../../../scripts/mutants/known-verdicts.ts';
import type { Mutant } from '../../../../scripts/mutants/mutant.ts';

const MUTANT: Mutant = {
  name: 'a check is taken out',
  file: 'a.ts',
  text: 'a',
  replacement: 'b',
  tests: ['a.test.ts'],
};
const KILLED = { kind: 'killed' } as const;

let folder: string;
let file: string;
let texts: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-verdicts-'));
  file = join(folder, 'verdicts.jsonl');
  texts = { 'a.ts': 'source', 'a.test.ts': 'test' };
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (name: string): string => texts[name]!;

describe('known verdicts', () => {
  test('are there again in the next run', () => {
    new KnownVerdicts(file).add(MUTANT, read, KILLED);
    expect(new KnownVerdicts(file).find(MUTANT, read)).toEqual(KILLED);
  });

  test.each([
    ['the file', () => (texts['a.ts'] = 'changed')],
    ['a test', () => (texts['a.test.ts'] = 'changed')],
  ])('do not count when %s has changed', (_what, change) => {
    new KnownVerdicts(file).add(MUTANT, read, KILLED);
    change();
    expect(new KnownVerdicts(file).find(MUTANT, read)).toBeUndefined();
  });

  test('do not count for another change of the same name', () => {
    new KnownVerdicts(file).add(MUTANT, read, KILLED);
    expect(new KnownVerdicts(file).find({ ...MUTANT, replacement: 'c' }, read)).toBeUndefined();
  });

  test('do not count for other tests of the same file', () => {
    new KnownVerdicts(file).add(MUTANT, read, KILLED);
    expect(new KnownVerdicts(file).find({ ...MUTANT, testName: 'is noticed' }, read)).toBeUndefined();
  });

  test('survive half of a line, which a run left that was ended', () => {
    new KnownVerdicts(file).add(MUTANT, read, KILLED);
    appendFileSync(file, '{"key":"half');
    expect(new KnownVerdicts(file).find(MUTANT, read)).toEqual(KILLED);
  });

  test('are written once', () => {
    const known = new KnownVerdicts(file);
    known.add(MUTANT, read, KILLED);
    known.add(MUTANT, read, KILLED);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1);
  });

  test('are none without a file', () => {
    const known = new KnownVerdicts(undefined);
    known.add(MUTANT, read, KILLED);
    expect(new KnownVerdicts(undefined).find(MUTANT, read)).toBeUndefined();
  });
});
