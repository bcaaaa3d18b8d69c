import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { entrance } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useLanguage } from '../../strings/language.ts';
import { canUseProviders, forgetProviderReturn, leaveForProvider, takeProviderReturn } from './provider-sign-in.ts';

interface ProviderButtonsProps {
  /** Their names. */
  readonly providers: readonly string[];
  /** The token of an invitation to join by the sign-in. */
  readonly invitation?: string;
  readonly onChallenge: (challenge: SignInChallenge) => void;
}

/** Buttons that sign in through an identity provider. A return from one continues with the second factor. */
export function ProviderButtons({ providers, invitation, onChallenge }: ProviderButtonsProps): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.entrance;
  const action = useAction();
  const back = takeProviderReturn();
  const isAsked = useRef(false);
  useEffect(() => {
    if (back.kind !== 'code' || isAsked.current) return;
    isAsked.current = true;
    forgetProviderReturn();
    action.run(() => entrance.provider(back.code, back.verifier).then(onChallenge));
  });
  if (providers.length === 0 || !canUseProviders()) return null;
  return (
    <>
      <p className="ui-or ui-soft ui-small">{words.or}</p>
      {back.kind === 'refused' && (
        <Notice tone="bad">
          <p>{words.providerRefused}</p>
        </Notice>
      )}
      {back.kind === 'stale' && (
        <Notice tone="bad">
          <p>{words.providerStale}</p>
        </Notice>
      )}
      <FailureNotice failure={action.failure} />
      {providers.map((name) => (
        <Button
          key={name}
          isPending={action.isPending}
          onPress={() => action.run(() => leaveForProvider(name, invitation))}
        >
          {words.provider(name)}
        </Button>
      ))}
    </>
  );
}
