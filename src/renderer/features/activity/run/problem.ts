import type { RunReport } from '../../../../ipc/contract/restore.ts';
import { reasonSentence } from '../../../../strings/failure-sentence.ts';
import type { Language } from '../../../../strings/strings.ts';

/** One file that is not in a backup, or not back, as it should be. */
export interface Problem {
  readonly kind: 'failed' | 'warned';
  readonly path: string;
  readonly reason: string;
  readonly detail?: string;
}

/** Where backups keep entries of their own: what is wrong there concerns all files. */
const OWN = '/.holdfast/';

/** Failures first; each as the engine told it. */
export function problemsOf({ failures, warnings }: RunReport): readonly Problem[] {
  return [
    ...failures.map(({ path, reason, detail }) => ({
      kind: 'failed' as const,
      path,
      reason,
      ...(detail === undefined ? {} : { detail }),
    })),
    ...warnings.map(({ path, reason }) => ({ kind: 'warned' as const, path, reason })),
  ];
}

export function isOfWhole({ path }: Problem): boolean {
  return path.startsWith(OWN);
}

/** What the row of a problem says. */
export function problemText(problem: Problem, language: Language): { readonly name: string; readonly why: string } {
  return {
    name: isOfWhole(problem) ? language.strings.activity.wholePoint : problem.path,
    why: reasonSentence(problem.reason, language, problem.detail),
  };
}

/** As it can be sent to somebody: one line for each. */
export function problemsAsText(problems: readonly Problem[], language: Language): string {
  const { problemFailed, problemWarned } = language.strings.activity;
  return problems
    .map((problem) => {
      const { name, why } = problemText(problem, language);
      return `${problem.kind === 'failed' ? problemFailed : problemWarned}\t${name}\t${why}`;
    })
    .join('\n');
}
