import { useContext, useEffect } from 'react';
import type { ReactElement } from 'react';
import type { OutputOf } from '../../../../base/calls/contract.ts';
import type { restoreMethods } from '../../../../ipc/contract/restore/restore.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { FailureRemediesContext } from '../../../../ui/requests/failure-remedies.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { useOnChange } from '../../../shared/use-on-change.ts';

/** A destination that cannot be reached, and why. */
export type Away = NonNullable<OutputOf<typeof restoreMethods, 'restore.points'>['away']>;

/** Milliseconds between two attempts to reach it. */
const ATTEMPTS = 10_000;

interface AwayNoticeProps {
  readonly away: Away;
  readonly onRetry: () => void;
}

/** Says that the destination is away, so that names can be browsed and contents cannot be fetched. Ends by itself when it is back. */
export function AwayNotice({ away: { destination, failure }, onRetry }: AwayNoticeProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.away;
  const remedies = useContext(FailureRemediesContext);
  useOnChange(
    useAppState((state) => state.destinations.find(({ id }) => id === destination.id)?.isAtHand),
    onRetry,
  );
  useEffect(() => {
    const timer = setInterval(onRetry, ATTEMPTS);
    return () => clearInterval(timer);
  }, [onRetry]);
  return (
    <Notice tone="plain">
      <div className="ui-between restore-away">
        <div>
          <p>{words.title(destination.name)}</p>
          <p className="ui-hint">{words.hint}</p>
        </div>
        <div className="ui-row">
          {/* A disk is noticed when it is connected. */}
          {failure.code !== 'destination_missing' && <Button onPress={onRetry}>{strings.common.retry}</Button>}
          {remedies?.(failure, onRetry)}
        </div>
      </div>
    </Notice>
  );
}
