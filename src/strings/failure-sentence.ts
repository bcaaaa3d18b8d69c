import type { Failure } from '../ipc/failure.ts';
import type { Strings } from './en.ts';

/** What went wrong and what the person can do about it. A code that nobody foresaw is told as such. */
export function failureSentence({ code, details }: Failure, { failures }: Strings): string {
  const known = (failures.sentences as Readonly<Record<string, (details: Failure['details']) => string>>)[code];
  return known ? known(details) : failures.unknown(code);
}
