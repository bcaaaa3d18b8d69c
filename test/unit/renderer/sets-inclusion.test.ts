import { describe, expect, test } from 'vitest';
import { InclusionRules } from '../../../src/renderer/features/sets/draft/inclusion.ts';
import type { Choice } from '../../../src/renderer/features/sets/draft/inclusion.ts';
import { patternIn, patternProblem, patternsInside } from '../../../src/renderer/features/sets/draft/pattern.ts';

const HOME = '/home/anna';
const DOCUMENTS: Choice = { roots: [`${HOME}/Documents`], excludes: [] };

function of(choice: Choice, path: string, presets: readonly string[] = []): string {
  return new InclusionRules(choice, (entry) => presets.includes(entry)).of(path, true);
}

function toggled(choice: Choice, path: string, presets: readonly string[] = []): Choice {
  return new InclusionRules(choice, (entry) => presets.includes(entry)).toggled(path, true);
}

describe('InclusionRules', () => {
  test('includes a chosen folder with its contents, and its parents partly', () => {
    expect(of(DOCUMENTS, `${HOME}/Documents`)).toBe('included');
    expect(of(DOCUMENTS, `${HOME}/Documents/a/b`)).toBe('included');
    expect(of(DOCUMENTS, HOME)).toBe('partly');
    expect(of(DOCUMENTS, '/')).toBe('partly');
    expect(of(DOCUMENTS, `${HOME}/Documents 2`)).toBe('outside');
  });

  test('adds a pattern for an exclusion and removes it again', () => {
    const without = toggled(DOCUMENTS, `${HOME}/Documents/old [1]`);
    expect(without.excludes).toEqual(['/old \\[1\\]/']);
    expect(of(without, `${HOME}/Documents/old [1]`)).toBe('excluded');
    expect(of(without, `${HOME}/Documents/old [1]/deep`)).toBe('excluded');
    expect(of(without, `${HOME}/Documents/old 1`)).toBe('included');
    expect(of(without, `${HOME}/Documents`)).toBe('partly');
    expect(toggled(without, `${HOME}/Documents/old [1]`)).toEqual(DOCUMENTS);
  });

  test('includes a single entry deep inside of an excluded folder', () => {
    const without = toggled(DOCUMENTS, `${HOME}/Documents/a`);
    const back = toggled(without, `${HOME}/Documents/a/b/c`);
    expect(of(back, `${HOME}/Documents/a/b/c`)).toBe('included');
    expect(of(back, `${HOME}/Documents/a/b/other`)).toBe('excluded');
    expect(of(back, `${HOME}/Documents/a/other`)).toBe('excluded');
    expect(of(back, `${HOME}/Documents/a`)).toBe('partly');
    expect(of(back, `${HOME}/Documents/a/b`)).toBe('partly');
    // A press on a partly included folder includes all of it.
    expect(toggled(back, `${HOME}/Documents/a`)).toEqual(DOCUMENTS);
    expect(of(toggled(back, `${HOME}/Documents/a/b/c`), `${HOME}/Documents/a/b/c`)).toBe('excluded');
  });

  test('adds an exception to a preset or a rule, and removes it again', () => {
    const path = `${HOME}/Documents/app/node_modules`;
    const presets = [path];
    expect(of(DOCUMENTS, path, presets)).toBe('excluded');
    const back = toggled(DOCUMENTS, path, presets);
    expect(back.excludes).toEqual(['!/app/node_modules/']);
    expect(of(back, path, presets)).toBe('included');
    expect(toggled(back, path, presets)).toEqual(DOCUMENTS);
    const inside = toggled(DOCUMENTS, `${path}/left`, presets);
    expect(of(inside, `${path}/left`, presets)).toBe('included');
    expect(of(inside, `${path}/right`, presets)).toBe('excluded');
  });

  test('replaces chosen folders by their parent, and keeps their exclusions', () => {
    const two: Choice = { roots: [`${HOME}/Documents`, '/srv'], excludes: ['/old/', '*.iso'] };
    const whole = toggled(two, HOME);
    expect(whole.roots).toEqual(['/srv', HOME]);
    expect(of(whole, `${HOME}/Documents/old`)).toBe('excluded');
    const one = toggled({ roots: [`${HOME}/Documents`], excludes: ['/old/', '!/old/new/', '*.iso'] }, HOME);
    expect(one).toEqual({ roots: [HOME], excludes: ['*.iso', '/Documents/old/', '!/Documents/old/new/'] });
    expect(toggled(one, '/').roots).toEqual(['/']);
  });

  test('removes a chosen folder', () => {
    expect(toggled(DOCUMENTS, `${HOME}/Documents`).roots).toEqual([]);
  });

  test('excludes a file as a file', () => {
    const without = new InclusionRules(DOCUMENTS, () => false).toggled(`${HOME}/Documents/big file.iso`, false);
    expect(without.excludes).toEqual(['/big file.iso']);
  });

  test('handles Windows paths', () => {
    const choice: Choice = { roots: ['C:\\Users\\anna'], excludes: [] };
    expect(of(choice, 'C:\\')).toBe('partly');
    expect(toggled(choice, 'C:\\Users\\anna\\Music\\old').excludes).toEqual(['/Music/old/']);
  });
});

test('patternsInside rewrites the patterns of a root for a folder inside of it', () => {
  expect(patternsInside(['/a/b/', '!/a/c', '/d/', '*.iso', '/a/'], 'a')).toEqual(['/b/', '!/c', '*.iso']);
  expect(patternsInside(['/a/'], '')).toEqual(['/a/']);
});

test('patternProblem rejects lines that are no patterns', () => {
  expect(patternProblem('  ', [])).toBe('empty');
  expect(patternProblem('# all', [])).toBe('comment');
  expect(patternProblem('*.iso ', ['*.iso'])).toBe('known');
  expect(patternProblem('*.iso', [])).toBeUndefined();
});

test('patternIn has the separators of a pattern', () => {
  expect(patternIn(' build\\*.tmp ', 'win32')).toBe('build/*.tmp');
  expect(patternIn(' build\\*.tmp ', 'linux')).toBe('build\\*.tmp');
});
