import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination, SetAtDestination } from '../../../../ipc/state.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { SignInDialog } from '../../account/sign-in-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';

interface SignedOutProps {
  readonly destination: ConfiguredDestination;
  readonly isOneOfSeveral: boolean;
}

/** Shown when the service has ended this computer's sign-in: no backup runs until a person signs in again. */
export function SignedOut({ destination, isOneOfSeveral }: SignedOutProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const refused = destination.sets.find(hasBeenRefused)?.failure;
  // A revoked computer does not regain access by a person's password.
  if (refused) return <FailureNotice failure={refused} />;
  return (
    <>
      <Notice tone="bad">
        <h2>{isOneOfSeveral ? words.signedOutOf(destination.name) : words.signedOut}</h2>
        <p>{words.signedOutText}</p>
        <div>
          <Button kind="primary" onPress={() => setOpen(true)}>
            {words.signIn}
          </Button>
        </div>
      </Notice>
      {isOpen && (
        <SignInDialog
          title={words.signInTitle}
          destination={destination.id}
          lead={<p className="ui-soft ui-path settings-text">{destination.location}</p>}
          onSigned={() => call('account.sign-in-again', { destination: destination.id }).then(close)}
          onClose={close}
        />
      )}
    </>
  );
}

function hasBeenRefused({ failure }: SetAtDestination): boolean {
  return failure?.code === 'device_refused';
}
