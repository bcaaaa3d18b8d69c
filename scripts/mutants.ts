/**
 * `npm run mutants`: breaks safety-critical code, one change at a time, and runs the tests that have to fail. Ends with 1 if a
 * change survives or no longer applies. The changes are made in copies of the checkout. It takes long, so it is not part of
 * `npm test`, which only checks that every change still applies.
 *
 *     npm run mutants -- --list
 *     npm run mutants -- --only fsync       those whose name or file contains it
 *     npm run mutants -- --audit findings   those of the findings of an audit; `unnoticed`, those that once no test noticed
 *     npm run mutants -- --parallel 2
 *     npm run mutants -- --results FILE     continues where an earlier run was ended
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { auditedNames } from './mutants/audit/audited-names.ts';
import { CheckoutCopy, killTests } from './mutants/checkout-copy.ts';
import { KnownVerdicts } from './mutants/known-verdicts.ts';
import { MUTANTS } from './mutants/list.ts';
import { applyMutant, type Mutant } from './mutants/mutant.ts';
import { verdictOf, type Outcome, type Verdict } from './mutants/verdict.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    audit: { type: 'string' },
    list: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '1' },
    results: { type: 'string' },
  },
});
const audited = values.audit === undefined ? undefined : auditedNames(values.audit);
const chosen = MUTANTS.filter(
  ({ name, file }) =>
    (name.includes(values.only) || file.includes(values.only)) && (audited === undefined || audited.has(name)),
);
const parallel = Number(values.parallel);
if (!(Number.isInteger(parallel) && parallel >= 1 && parallel <= 8)) throw new Error('--parallel takes 1 to 8');
if (chosen.length === 0) throw new Error(`no change is called ${values.only}`);

if (values.list) {
  for (const { name, file, tests } of chosen) console.log(`${file}: ${name}\n    ${tests.join(' ')}`);
} else {
  await runAll();
}

async function runAll(): Promise<void> {
  const workspace = mkdtempSync(join(tmpdir(), 'holdfast-mutants-'));
  process.once('exit', () => {
    killTests();
    rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

  const known = new KnownVerdicts(values.results);
  const unchanged = new Map<string, Promise<Outcome>>();
  const waiting = chosen.values();
  const verdicts: Verdict[] = [];
  const workers = Array.from({ length: Math.min(parallel, chosen.length) }, async (_, index) => {
    const copy = new CheckoutCopy(dirname(import.meta.dirname), join(workspace, String(index)));
    // An iterator that the workers share gives each change to one of them.
    for (const mutant of waiting) {
      const read = (file: string): string => copy.read(file);
      const verdict = known.find(mutant, read) ?? (await verdictIn(copy, mutant, unchanged));
      known.add(mutant, read, verdict);
      verdicts.push(verdict);
      console.log(`${verdict.kind.padEnd(12)}  ${mutant.file}: ${mutant.name}${remark(verdict)}`);
    }
  });
  await Promise.all(workers);
  const killed = verdicts.filter(({ kind }) => kind === 'killed').length;
  console.log(`\n${killed} of ${verdicts.length} killed.`);
  process.exit(killed === verdicts.length ? 0 : 1);
}

/** @param unchanged what each test file does without a change, run once */
async function verdictIn(
  copy: CheckoutCopy,
  mutant: Mutant,
  unchanged: Map<string, Promise<Outcome>>,
): Promise<Verdict> {
  const original = copy.read(mutant.file);
  const applied = applyMutant(mutant, original);
  if (applied.kind === 'misfit') return { kind: 'inapplicable', reason: applied.reason };
  const runs = [];
  for (const test of mutant.tests) {
    const key = JSON.stringify([test, mutant.testName]);
    const before = unchanged.get(key) ?? copy.run(test, mutant.testName);
    unchanged.set(key, before);
    await before;
    copy.write(mutant.file, applied.text);
    const changed = await copy.run(test, mutant.testName);
    copy.write(mutant.file, original);
    runs.push({ test, unchanged: await before, changed });
  }
  return verdictOf(runs);
}

function remark(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'killed':
      return '';
    case 'survived':
      return ` (${verdict.tests.join(', ')})`;
    case 'inapplicable':
      return ` (${verdict.reason})`;
  }
}
