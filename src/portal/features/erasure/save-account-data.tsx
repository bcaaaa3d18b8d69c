import type { ReactElement } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { erasures } from '../../api/calls.ts';
import { saveAsFile } from '../../shared/save-as-file.ts';
import { useLanguage } from '../../strings/language.ts';

/** What to keep before an erasure, with a button that saves what the service knows in the clear. */
export function SaveAccountData(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.erasure;
  const { isPending, failure, run } = useAction();
  const save = async (): Promise<void> => {
    const data = await erasures.accountData();
    saveAsFile('holdfast-account.json', 'application/json', `${JSON.stringify(data, undefined, 2)}\n`);
  };
  return (
    <>
      <p>{words.wait}</p>
      <p>{words.keepFirst}</p>
      <Button isPending={isPending} onPress={() => run(save)}>
        {words.download}
      </Button>
      <FailureNotice failure={failure} />
    </>
  );
}
