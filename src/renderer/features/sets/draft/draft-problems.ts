import type { Strings } from '../../../../strings/compiled/en.ts';
import type { Draft, Section } from './draft.ts';
import { scheduleProblem } from '../../../../model/schedule/problem.ts';

export type Problem = keyof Strings['sets']['editor']['problems'];

export interface DraftProblem {
  /** The section with the field; the name is above all sections. */
  readonly section: Section | 'name';
  readonly problem: Problem;
}

/**
 * Lists what is wrong with a draft before it can be saved.
 *
 * @param names names of the other sets
 */
export function draftProblems(draft: Draft, names: readonly string[]): readonly DraftProblem[] {
  const problems: DraftProblem[] = [];
  const { origin, name, roots, schedule, conditions, limits } = draft;
  if (name.trim() === '') problems.push({ section: 'name', problem: 'nameEmpty' });
  else if (origin === undefined && names.includes(name.trim()))
    problems.push({ section: 'name', problem: 'nameTaken' });
  if (roots.length === 0) problems.push({ section: 'what', problem: 'noRoots' });
  const timing = scheduleProblem(schedule);
  if (timing) problems.push({ section: 'when', problem: timing });
  if (conditions.networks?.length === 0) problems.push({ section: 'conditions', problem: 'networks' });
  if (limits.hours && limits.hours.from === limits.hours.to) problems.push({ section: 'limits', problem: 'hours' });
  return problems;
}
