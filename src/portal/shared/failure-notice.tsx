import type { ReactElement } from 'react';
import { Button } from '../../ui/buttons/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import type { PortalFailure } from '../api/failure.ts';
import { failureSentence } from '../strings/failure-sentence.ts';
import { useLanguage } from '../strings/language.ts';

interface FailureNoticeProps {
  readonly failure: PortalFailure | undefined;
  readonly onRetry?: () => void;
}

/** What went wrong, where something did. */
export function FailureNotice({ failure, onRetry }: FailureNoticeProps): ReactElement | null {
  const { strings } = useLanguage();
  if (!failure) return null;
  return (
    <Notice tone="bad">
      <p>{failureSentence(failure, strings)}</p>
      {onRetry && (
        <div>
          <Button onPress={onRetry}>{strings.common.retry}</Button>
        </div>
      )}
    </Notice>
  );
}
