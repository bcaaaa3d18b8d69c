import { useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { CheckDialog } from '../../../shared/check-dialog.tsx';
import { openRun } from '../../../shared/opened-run.ts';

interface CheckPartProps {
  readonly onView: (view: View) => void;
}

/** Starts a check of the destination, whose progress and result are in Activity. */
export function CheckPart({ onView }: CheckPartProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.settings.check;
  const [isOpen, setOpen] = useState(false);
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  return (
    <Panel title={words.title}>
      <p className="ui-soft settings-text">{words.text}</p>
      <div>
        <Button isDisabled={isBusy} onPress={() => setOpen(true)}>
          {words.open}
        </Button>
      </div>
      {isBusy && <p className="ui-hint">{strings.activity.alreadyRunning}</p>}
      {isOpen && (
        <CheckDialog
          onStarted={(run) => {
            openRun(run);
            onView('activity');
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </Panel>
  );
}
