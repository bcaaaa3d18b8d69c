/** Result of running one test file. */
export type Outcome = 'passed' | 'failed' | 'not loaded' | 'not run';

export type Verdict =
  | { readonly kind: 'killed' }
  | { readonly kind: 'survived'; readonly tests: readonly string[] }
  | { readonly kind: 'inapplicable'; readonly reason: string };

/** The part of vitest's JSON report that decides. */
export interface Report {
  readonly testResults?: readonly { readonly assertionResults?: readonly { readonly status?: string }[] }[];
}

/**
 * Decides what a run of one test file says. A file without a single test did not load: the change broke the program instead of its
 * behaviour, and every test would notice that. One whose tests are all skipped, or have other names, says nothing.
 *
 * @param report `undefined` if the run wrote none
 */
export function outcomeOf(exitCode: number | null, report: Report | undefined): Outcome {
  const tests = (report?.testResults ?? []).flatMap(({ assertionResults }) => assertionResults ?? []);
  if (exitCode === 0) return tests.some(({ status }) => status === 'passed') ? 'passed' : 'not run';
  return report !== undefined && tests.length === 0 ? 'not loaded' : 'failed';
}

/**
 * Decides about a change from the runs of its test files, with the change and without it. A test that fails anyway, or that does not
 * load, notices nothing.
 */
export function verdictOf(
  runs: readonly { readonly test: string; readonly unchanged: Outcome; readonly changed: Outcome }[],
): Verdict {
  for (const { test, unchanged, changed } of runs) {
    if (unchanged === 'not run') return { kind: 'inapplicable', reason: `no test of ${test} runs` };
    if (unchanged !== 'passed') return { kind: 'inapplicable', reason: `${test} fails without the change` };
    if (changed === 'not loaded') return { kind: 'inapplicable', reason: `${test} does not load with the change` };
  }
  const tests = runs.filter(({ changed }) => changed === 'passed').map(({ test }) => test);
  return tests.length === 0 ? { kind: 'killed' } : { kind: 'survived', tests };
}
