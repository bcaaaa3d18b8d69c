import type { Failure } from '../base/errors/failure.ts';

/** Appends the code of a system error (`EACCES`, `SQLITE_FULL`) to a sentence without one. */
export function withSystemCode(what: string, { details }: Failure): string {
  const problem = 'problem' in details ? details.problem : undefined;
  if (problem === undefined || !/^(E[A-Z0-9]+|SQLITE_\w+)$/.test(problem) || what.includes(problem)) return what;
  return what.replace(/\.?$/, ` (${problem}).`);
}
