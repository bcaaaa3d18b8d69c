import { FINDINGS } from './findings.ts';
import { UNNOTICED } from './unnoticed.ts';

/** Returns the names of the entries that belong to a part of the audit: `findings` or `unnoticed`. */
export function auditedNames(part: string): ReadonlySet<string> {
  if (part !== 'findings' && part !== 'unnoticed') throw new Error('--audit takes findings or unnoticed');
  return new Set((part === 'findings' ? FINDINGS : UNNOTICED).flatMap(({ mutants }) => mutants));
}
