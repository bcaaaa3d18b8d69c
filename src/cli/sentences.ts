import type { ErrorCode } from '../base/errors.ts';
import { dataSentences } from './sentences/data.ts';
import { keySentences } from './sentences/keys.ts';
import { requestSentences } from './sentences/request.ts';
import type { Sentences } from './sentences/sentence.ts';
import { serviceSentences } from './sentences/service.ts';
import { sourceSentences } from './sentences/sources.ts';
import { storageSentences } from './sentences/storage.ts';

/** What people read about each failure. A code without a sentence does not compile. */
export const sentences: Sentences<ErrorCode> = {
  ...requestSentences,
  ...sourceSentences,
  ...keySentences,
  ...serviceSentences,
  ...storageSentences,
  ...dataSentences,
};
