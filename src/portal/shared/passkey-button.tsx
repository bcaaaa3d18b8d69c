import type { ReactElement } from 'react';
import { Button } from '../../ui/buttons/button.tsx';
import { FailureNotice } from '../../ui/requests/failure-notice.tsx';
import { useAction } from '../../ui/requests/use-action.ts';
import { useLanguage } from '../strings/language.ts';

/** Uses a passkey in place of a code. @param work asks the browser for it */
export function PasskeyButton({ work }: { readonly work: () => Promise<unknown> }): ReactElement {
  const { strings } = useLanguage();
  const { isPending, failure, run } = useAction();
  return (
    <div className="portal-passkey">
      <Button isPending={isPending} onPress={() => run(work)}>
        {strings.passkeys.use}
      </Button>
      <FailureNotice failure={failure} />
      <p className="portal-or ui-soft ui-small">{strings.passkeys.or}</p>
    </div>
  );
}
