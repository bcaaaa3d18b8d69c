import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MUTANTS } from '../../../../scripts/mutants/list.ts';
import { applyMutant } from '../../../../scripts/mutants/mutant.ts';
import { outcomeOf, verdictOf } from '../../../../scripts/mutants/verdict.ts';

const ROOT = join(import.meta.dirname, '../../../..');

describe('applyMutant', () => {
  test('replaces the text when it is there once', () => {
    const text = 'before(); sync(file); after();';
    const mutant = { text: ' sync(file);', replacement: '' };
    expect(applyMutant(mutant, text)).toEqual({ kind: 'applied', text: 'before(); after();' });
  });

  test('takes the replacement literally', () => {
    expect(applyMutant({ text: 'a', replacement: '$&$1' }, 'xay')).toEqual({ kind: 'applied', text: 'x$&$1y' });
  });

  test.each([
    ['is missing', { text: 'sync()', replacement: '' }],
    ['is there twice', { text: 'a', replacement: '' }],
    ['overlaps with itself', { text: 'bb', replacement: '' }],
    ['is empty', { text: '', replacement: 'x' }],
    ['stays the same', { text: 'c', replacement: 'c' }],
  ])('is refused when the text %s', (_name, mutant) => {
    expect(applyMutant(mutant, 'a bbb c a').kind).toBe('misfit');
  });
});

describe('outcomeOf', () => {
  const report = { testResults: [{ assertionResults: [{ status: 'skipped' }, { status: 'passed' }] }] };

  test.each([
    ['passed', 'passed', 0, report],
    ['failed', 'failed', 1, report],
    ['not run', 'skips every test', 0, { testResults: [{ assertionResults: [{ status: 'skipped' }] }] }],
    ['not loaded', 'has no test', 1, { testResults: [{ assertionResults: [] }] }],
    ['failed', 'was ended by a signal', null, undefined],
  ] as const)('is %s when the run %s', (expected, _name, exitCode, result) => {
    expect(outcomeOf(exitCode, result)).toBe(expected);
  });
});

describe('verdictOf', () => {
  const run = { test: 'one.test.ts', unchanged: 'passed', changed: 'failed' } as const;
  const other = { ...run, test: 'other.test.ts' };

  test('is killed when every test file fails because of the change', () => {
    expect(verdictOf([run, other])).toEqual({ kind: 'killed' });
  });

  test('names the test files that pass with the change', () => {
    const tests = ['other.test.ts'];
    expect(verdictOf([run, { ...other, changed: 'passed' }])).toEqual({ kind: 'survived', tests });
  });

  test.each([
    ['a test file fails without the change', { ...other, unchanged: 'failed' as const }],
    ['no test of a file runs', { ...other, unchanged: 'not run' as const, changed: 'not run' as const }],
    ['a test file does not load with the change', { ...other, changed: 'not loaded' as const }],
  ])('is inapplicable when %s', (_name, second) => {
    expect(verdictOf([run, second]).kind).toBe('inapplicable');
  });
});

describe('the list of changes', () => {
  test('has a name of its own for each', () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test.each(MUTANTS)('applies: $name', (mutant) => {
    expect(applyMutant(mutant, readFileSync(join(ROOT, mutant.file), 'utf8'))).toMatchObject({ kind: 'applied' });
    expect(mutant.tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
