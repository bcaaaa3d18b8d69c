import { useState } from 'react';
import type { ReactElement } from 'react';
import type { SetState } from '../../../../ipc/state.ts';
import { FailureNotice } from '../../../shared/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { SignInDialog } from './sign-in-dialog.tsx';

/** The service has ended this home's sign-in: nothing goes on until there is a new one. */
export function SignedOut({ url }: { readonly url: string }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const [isOpen, setOpen] = useState(false);
  const refused = useAppState(({ sets }) => sets.find(hasBeenRefused)?.lastBackup?.failure);
  // A computer that the service has locked out does not get back in by a person's password.
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
      {isOpen && <SignInDialog url={url} onClose={() => setOpen(false)} />}
    </>
  );
}

function hasBeenRefused({ lastBackup }: SetState): boolean {
  return lastBackup?.failure?.code === 'device_refused';
}
