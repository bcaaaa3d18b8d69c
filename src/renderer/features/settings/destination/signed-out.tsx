import { useState } from 'react';
import type { ReactElement } from 'react';
import type { SetState } from '../../../../ipc/state.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { SignInDialog } from '../../account/sign-in-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';

/** Shown when the service has ended this computer's sign-in: no backup runs until a person signs in again. */
export function SignedOut({ url }: { readonly url: string }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const refused = useAppState(({ sets }) => sets.find(hasBeenRefused)?.lastBackup?.failure);
  // A revoked computer does not regain access by a person's password.
  if (refused) return <FailureNotice failure={refused} />;
  return (
    <>
      <Notice tone="bad">
        <h2>{words.signedOut}</h2>
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
          lead={<p className="ui-soft settings-text">{url}</p>}
          onSigned={() => call('account.sign-in-again', {}).then(close)}
          onClose={close}
        />
      )}
    </>
  );
}

function hasBeenRefused({ lastBackup }: SetState): boolean {
  return lastBackup?.failure?.code === 'device_refused';
}
