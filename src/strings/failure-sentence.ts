import type { Failure } from '../base/errors/failure.ts';
import type { Describe, FailureFormats, FailureSentences, FailureWords } from './failure-types.ts';
import type { Strings } from './compiled/en.ts';
import type { Language } from './strings.ts';

/** Returns what happened and what to do; a code without a sentence is named as such. */
export function failureWords(failure: Failure, { strings, formats }: Language): FailureWords {
  return wordsOf(failure, strings.failures.sentences, formats) ?? unknownWords(failure.code, strings.failures.unknown);
}

/** The sentences for a code that has none. */
export function unknownWords(code: string, words: Strings['failures']['unknown']): FailureWords {
  return { what: words.what(code), todo: words.todo };
}

/** Looks a sentence up by `code:problem` and `code:reason` first, and then by the code. */
export function wordsOf(
  { code, details }: Failure,
  sentences: FailureSentences,
  formats: FailureFormats,
): FailureWords | undefined {
  const subjects = ['problem', 'reason'].map((field) => `${code}:${String(Reflect.get(details, field))}`);
  const key = [...subjects, code].find((candidate) => Object.hasOwn(sentences, candidate));
  // A sentence and its details share the key, so they fit.
  return key === undefined ? undefined : (sentences[key as 'internal'] as Describe<object>)(details, formats);
}

/** Returns both sentences as one text. */
export function failureSentence(failure: Failure, language: Language): string {
  const { what, todo } = failureWords(failure, language);
  return `${what} ${todo}`;
}

/**
 * Describes in one sentence why one file was not backed up or restored completely.
 *
 * @param reason a stable word of the engine: of a warning (`vanished`, `unreadable (EMFILE)`), or the code of a failure
 * @param detail the operating system's error code (`EACCES`)
 */
export function reasonSentence(reason: string, { strings }: Language, detail?: string): string {
  const { sentences, unknown } = strings.failures.reasons;
  const word = reason.replace(/ \(.*\)$/, '');
  const known: Readonly<Record<string, string>> = sentences;
  for (const key of [`${word}:${detail ?? ''}`, word]) if (Object.hasOwn(known, key)) return known[key]!;
  return unknown(reason);
}
