import type { ReactElement } from 'react';
import { Button } from '../buttons/button.tsx';
import { Notice } from '../feedback/notice.tsx';
import { useUiTexts } from '../texts.ts';

interface FailureNoticeProps {
  /** The error of an action or a request; the notice is empty while it is `undefined`. */
  readonly failure: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** A sentence about a failure, with a button to retry if there is something to retry. */
export function FailureNotice({ failure, onRetry }: FailureNoticeProps): ReactElement | null {
  const texts = useUiTexts();
  if (failure === undefined) return null;
  return (
    <Notice tone="bad">
      <p>{texts.failure(failure)}</p>
      {onRetry && (
        <div>
          <Button onPress={onRetry}>{texts.retry}</Button>
        </div>
      )}
    </Notice>
  );
}
