import type { Failure } from '../base/failure.ts';
import { failureFacts } from './failure-facts.ts';
import type { FailureFacts } from './failure-facts.ts';
import type { Language } from './strings.ts';

/** What happened, and what the person can do about it. Each is a sentence or two. */
export interface FailureWords {
  readonly what: string;
  readonly todo: string;
}

/** How a catalogue says a failure. */
export type Describe = (facts: FailureFacts) => FailureWords;

/**
 * A sentence is looked up by `code:problem` and `code:reason` first, for codes where these say more, and by the code then. A code that
 * nobody foresaw is told as such.
 */
export function failureWords(failure: Failure, { strings, formats }: Language): FailureWords {
  const { code } = failure;
  const details = failure.details as Readonly<Record<string, unknown>>;
  const sentences: Readonly<Record<string, Describe>> = strings.failures.sentences;
  const describe =
    entryOf(sentences, `${code}:${String(details['problem'])}`) ??
    entryOf(sentences, `${code}:${String(details['reason'])}`) ??
    entryOf(sentences, code);
  return describe ? describe(failureFacts(details, formats)) : strings.failures.unknown(code);
}

/** What went wrong and what the person can do about it, as one text. */
export function failureSentence(failure: Failure, language: Language): string {
  const { what, todo } = failureWords(failure, language);
  return `${what} ${todo}`;
}

function entryOf<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
