import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useLanguage } from '../../use-language.ts';
import { SignInDialog } from './sign-in-dialog.tsx';

/** The service has ended this home's sign-in: nothing goes on until there is a new one. */
export function SignedOut({ url }: { readonly url: string }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings;
  const [isOpen, setOpen] = useState(false);
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
