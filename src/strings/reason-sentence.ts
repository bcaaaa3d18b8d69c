import type { Language } from './strings.ts';

/**
 * Why one file is not in a backup, or not back, as it should be: one sentence about it.
 *
 * @param reason a stable word of the engine: of a warning (`vanished`, `unreadable (EMFILE)`), or the code of a failure
 * @param detail what the operating system said of it (`EACCES`)
 */
export function reasonSentence(reason: string, { strings }: Language, detail?: string): string {
  const { sentences, unknown } = strings.failures.reasons;
  const word = reason.replace(/ \(.*\)$/, '');
  const known: Readonly<Record<string, string>> = sentences;
  for (const key of [`${word}:${detail ?? ''}`, word]) if (Object.hasOwn(known, key)) return known[key]!;
  return unknown(reason);
}
