import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditedNames } from '../../../../scripts/mutants/audit/audited-names.ts';
import { FINDINGS } from '../../../../scripts/mutants/audit/findings.ts';
import { UNNOTICED } from '../../../../scripts/mutants/audit/unnoticed.ts';
import { MUTANTS } from '../../../../scripts/mutants/list.ts';

const byName = new Map(MUTANTS.map((mutant) => [mutant.name, mutant]));

/** The rows of “Findings of the audit”: the tests that each names, by its number. A path may be that of a folder. */
function namedTests(): ReadonlyMap<number, readonly string[]> {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/promises.md'), 'utf8');
  const rows = text.slice(text.indexOf('## Findings of the audit')).matchAll(/^\| (\d+) \|.*$/gm);
  return new Map(
    [...rows].map(([row, finding]) => [
      Number(finding),
      [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!),
    ]),
  );
}

describe('the changes that no test noticed', () => {
  test('are 48, each with an entry', () => {
    expect(UNNOTICED).toHaveLength(48);
    expect([...auditedNames('unnoticed')].filter((name) => !byName.has(name))).toEqual([]);
  });
});

describe('the findings of the audit', () => {
  const named = namedTests();

  test('are those of docs/promises.md, each with entries', () => {
    const numbers = Array.from({ length: 21 }, (_, index) => index + 1);
    expect([...named.keys()]).toEqual(numbers);
    expect(FINDINGS.map(({ finding }) => finding)).toEqual(numbers);
    expect([...auditedNames('findings')].filter((name) => !byName.has(name))).toEqual([]);
  });

  test.each(FINDINGS)('$finding names the tests that its entries fail, and no other', ({ finding, mutants }) => {
    const failed = new Set(mutants.flatMap((name) => byName.get(name)!.tests));
    const listed = named.get(finding)!;
    expect(listed.filter((path) => ![...failed].some((file) => file.startsWith(path)))).toEqual([]);
    expect([...failed].filter((file) => !listed.some((path) => file.startsWith(path)))).toEqual([]);
  });
});

test('another part of the audit is refused', () => {
  expect(() => auditedNames('all')).toThrow('--audit');
});
