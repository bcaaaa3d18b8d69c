import type { ReactElement } from 'react';
import type { Failure } from '../../base/failure.ts';
import { failureSentence } from '../../strings/failure-sentence.ts';
import { Button } from '../../ui/buttons/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { useLanguage } from './use-language.ts';

interface FailureNoticeProps {
  readonly failure: Failure | undefined;
  readonly onRetry?: () => void;
}

/** What went wrong, where something did. */
export function FailureNotice({ failure, onRetry }: FailureNoticeProps): ReactElement | null {
  const language = useLanguage();
  if (!failure) return null;
  return (
    <Notice tone="bad">
      <p>{failureSentence(failure, language)}</p>
      {onRetry && (
        <div>
          <Button onPress={onRetry}>{language.strings.common.retry}</Button>
        </div>
      )}
    </Notice>
  );
}
