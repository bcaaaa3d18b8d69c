import type { ReactElement } from 'react';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import type { Action } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { failureOf } from '../../bridge/use-call.ts';
import './account.css';

interface ProviderPartProps {
  readonly action: Action;
  /** There is no password sign-in: the main button starts this one. */
  readonly isOnly?: boolean;
  readonly onBegin: () => void;
  readonly onStop: () => void;
}

/** Sign-in through an identity provider in the browser, which the person can cancel here. */
export function ProviderPart({ action, isOnly = false, onBegin, onStop }: ProviderPartProps): ReactElement {
  const words = useLanguage().strings.account;
  const { isPending, failure } = action;
  return (
    <div className="account-provider">
      {!isOnly && <p className="ui-or ui-soft">{words.or}</p>}
      <p className="ui-soft" role="status" data-live-announcer>
        {isPending ? words.waiting : words.providerHint}
      </p>
      <div className="ui-row">
        {!isOnly && (
          <Button isPending={isPending} onPress={onBegin}>
            {words.provider}
          </Button>
        )}
        {isPending && (
          <Button kind="quiet" onPress={onStop}>
            {words.stopWaiting}
          </Button>
        )}
      </div>
      {/* Cancelling is not an error. */}
      <FailureNotice
        failure={failure !== undefined && failureOf(failure).code === 'interrupted' ? undefined : failure}
      />
    </div>
  );
}
