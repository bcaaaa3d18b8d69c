import type { RunReport } from '../../../../ipc/contract/restore/restore.ts';
import { GENERAL_REASONS } from '../../../../ipc/general-reasons.ts';
import { reasonSentence } from '../../../../strings/failure-sentence.ts';
import type { Language } from '../../../../strings/strings.ts';

/** A file that was not backed up or restored as it should be. */
export interface Problem {
  readonly kind: 'failed' | 'warned';
  readonly path: string;
  readonly reason: string;
  readonly detail?: string;
}

/** Prefix of a backup's internal entries. A problem with one of them concerns all files. */
const OWN = '/.holdfast/';

/** Lists the problems of a run, failures first. A file with several damaged chunks has one. */
export function problemsOf({ failures, warnings }: RunReport): readonly Problem[] {
  const all: readonly Problem[] = [
    ...failures.map(({ path, reason, detail }) => ({
      kind: 'failed' as const,
      path,
      reason,
      ...(detail === undefined ? {} : { detail }),
    })),
    ...warnings.map(({ path, reason }) => ({ kind: 'warned' as const, path, reason })),
  ];
  return [...new Map(all.map((problem) => [keyOf(problem), problem])).values()];
}

/** Lists what keeps nothing out of a backup. */
export function notesOf({ notes = [] }: RunReport): readonly Problem[] {
  return notes.map(({ path, reason }) => ({ kind: 'warned', path, reason }));
}

export function keyOf({ kind, reason, path }: Problem): string {
  return `${kind} ${reason} ${path}`;
}

/** Returns the number of files that problems are about. */
export function filesOf(problems: readonly Problem[]): number {
  return new Set(problems.map(({ path }) => path)).size;
}

/** Returns whether a problem is about the run or this installation, not about a file that is not backed up. */
export function isGeneral({ kind, reason }: Problem): boolean {
  return kind === 'warned' && GENERAL_REASONS.has(reason);
}

export function isOwn(path: string): boolean {
  return path.startsWith(OWN);
}

/** Returns the texts of a problem's row. */
export function problemText(problem: Problem, language: Language): { readonly name: string; readonly why: string } {
  return {
    name: isOwn(problem.path) ? language.strings.activity.wholePoint : problem.path,
    why: reasonSentence(problem.reason, language, problem.detail),
  };
}

/** Formats problems for the clipboard, one per line. */
export function problemsAsText(problems: readonly Problem[], language: Language): string {
  const { problemFailed, problemWarned } = language.strings.activity;
  return problems
    .map((problem) => {
      const { name, why } = problemText(problem, language);
      return `${problem.kind === 'failed' ? problemFailed : problemWarned}\t${name}\t${why}`;
    })
    .join('\n');
}
