import { useContext } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../buttons/button.tsx';
import { Notice } from '../feedback/notice.tsx';
import { useUiTexts } from '../texts.ts';
import { FailureRemediesContext } from './failure-remedies.ts';

interface FailureNoticeProps {
  /** The error of an action or a request; the notice is empty while it is `undefined`. */
  readonly failure: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** A sentence about a failure. If there is something to retry, it has a button for that, and those that mend the cause. */
export function FailureNotice({ failure, onRetry }: FailureNoticeProps): ReactElement | null {
  const texts = useUiTexts();
  const remedies = useContext(FailureRemediesContext);
  if (failure === undefined) return null;
  return (
    <Notice tone="bad">
      <p>{texts.failure(failure)}</p>
      {onRetry && (
        <div className="ui-row">
          <Button onPress={onRetry}>{texts.retry}</Button>
          {remedies?.(failure, onRetry)}
        </div>
      )}
    </Notice>
  );
}
