import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { KeyCodeDialog } from './key-code-dialog.tsx';
import { PassphraseDialog } from './passphrase-dialog.tsx';
import type { PassphraseDialogKind } from './passphrase-dialog.tsx';
import { RenewKeyDialog } from './renew-key-dialog.tsx';

interface AccountKeyPanelProps {
  readonly hasPassphrase: boolean;
  readonly onPassphrase: () => void;
  /** Shows the new recovery phrase, which has to be written down. */
  readonly onPhrase: () => void;
}

/** Gives the key of the backups to a new computer, sets what opens it, and changes it. */
export function AccountKeyPanel({ hasPassphrase, onPassphrase, onPhrase }: AccountKeyPanelProps): ReactElement {
  const words = useLanguage().strings.settings.accountKey;
  const isAtServicesOnly = useAppState(({ destinations }) => destinations.every(({ kind }) => kind === 'service'));
  const [dialog, setDialog] = useState<'code' | 'renew' | PassphraseDialogKind>();
  const [notes, setNotes] = useState<readonly string[]>([]);
  const close = (): void => setDialog(undefined);
  return (
    <Panel title={words.title}>
      <p className="ui-soft settings-text">{words.text}</p>
      {hasPassphrase && <p>{words.hasPassphrase}</p>}
      <div className="ui-row">
        {isAtServicesOnly !== true && <Button onPress={() => setDialog('code')}>{words.code}</Button>}
        <Button onPress={() => setDialog(hasPassphrase ? 'change' : 'set')}>
          {hasPassphrase ? words.changePassphrase : words.setPassphrase}
        </Button>
        {hasPassphrase && <Button onPress={() => setDialog('remove')}>{words.removePassphrase}</Button>}
        <Button onPress={() => setDialog('renew')}>{words.renew}</Button>
      </div>
      {notes.length > 0 && (
        <Notice tone={notes.length > 1 ? 'warning' : 'good'}>
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </Notice>
      )}
      {dialog === 'code' && <KeyCodeDialog onClose={close} />}
      {dialog === 'renew' && <RenewKeyDialog onPhrase={onPhrase} onClose={close} />}
      {dialog !== undefined && dialog !== 'code' && dialog !== 'renew' && (
        <PassphraseDialog
          kind={dialog}
          onDone={(done) => {
            setNotes(done);
            close();
            onPassphrase();
          }}
          onClose={close}
        />
      )}
    </Panel>
  );
}
