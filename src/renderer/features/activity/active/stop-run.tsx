import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ActiveRun } from '../../../../ipc/state.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../shared/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { runTitle } from '../run-looks.ts';

/** Ends a run, once the person has said that it shall be so. */
export function StopRun({ run }: { readonly run: ActiveRun }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.activity;
  const [isAsking, setAsking] = useState(false);
  const { isPending, failure, run: act } = useAction();
  return (
    <>
      <Button
        label={words.stopOf(runTitle(run, strings))}
        isDisabled={run.phase === 'stopping'}
        onPress={() => setAsking(true)}
      >
        {words.stop}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={words.stopTitles[run.kind]}
          action={words.stop}
          cancel={words.keepGoing}
          isPending={isPending}
          onConfirm={() => act(() => call('runs.stop', { run: run.id }).then(() => setAsking(false)))}
          onClose={() => setAsking(false)}
        >
          <p>{words.stopBodies[run.kind]}</p>
          <FailureNotice failure={failure} />
        </ConfirmDialog>
      )}
    </>
  );
}
