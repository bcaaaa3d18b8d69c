import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ActiveRun } from '../../../../model/run.ts';
import { call } from '../../../bridge/bridge.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { runTitle } from '../run-title.ts';

/** Stops a run after the person has confirmed it. */
export function StopRun({ run }: { readonly run: ActiveRun }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.activity;
  const [isAsking, setAsking] = useState(false);
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
          confirm={words.stop}
          cancel={words.keepGoing}
          work={() => call('runs.stop', { run: run.id }).then(() => setAsking(false))}
          onClose={() => setAsking(false)}
        >
          <p>{words.stopBodies[run.kind]}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
