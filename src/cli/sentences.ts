import type { ErrorCode } from '../base/errors.ts';
import type { Failure } from '../base/failure.ts';
import { dataSentences } from './sentences/data.ts';
import { keySentences } from './sentences/keys.ts';
import { requestSentences } from './sentences/request.ts';
import type { Details, Sentence, Sentences } from './sentences/sentence.ts';
import { serviceSentences } from './sentences/service.ts';
import { sourceSentences } from './sentences/sources.ts';
import { storageSentences } from './sentences/storage.ts';

/** What people read about each failure. A code without a sentence does not compile. */
export const sentences: Sentences<Exclude<ErrorCode, WindowCode>> = {
  ...requestSentences,
  ...sourceSentences,
  ...keySentences,
  ...serviceSentences,
  ...storageSentences,
  ...dataSentences,
};

/** Thrown by the window alone. */
type WindowCode =
  | 'agent_gone'
  | 'internal'
  | 'lock_damaged'
  | 'lock_password_needed'
  | 'lock_password_wrong'
  | 'lock_wait'
  | 'refused';

export function sentenceOf({ code, details }: Failure): Sentence {
  return sentences[code as keyof typeof sentences](details as Details);
}
