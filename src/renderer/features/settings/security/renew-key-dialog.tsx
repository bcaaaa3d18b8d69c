import { useState } from 'react';
import type { ReactElement } from 'react';
import type { KeyChange } from '../../../../ipc/contract/account/keys.ts';
import type { Strings } from '../../../../strings/compiled/en.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { LockPasswordField, useAsksLockPassword } from '../../lock/lock-password-field.tsx';

interface RenewKeyDialogProps {
  readonly onPhrase: () => void;
  readonly onClose: () => void;
}

/** Changes the key of the backups, and then leads to the new recovery phrase. */
export function RenewKeyDialog({ onPhrase, onClose }: RenewKeyDialogProps): ReactElement {
  const words = useLanguage().strings.settings.accountKey;
  const asksPassword = useAsksLockPassword();
  const [password, setPassword] = useState('');
  const [notes, setNotes] = useState<readonly string[]>();
  const renew = async (): Promise<void> => {
    const found = notesOf(await call('key.renew', password === '' ? {} : { password }), words);
    if (found.length === 0) onPhrase();
    else setNotes(found);
  };
  if (notes) {
    return (
      <ModalDialog title={words.renewed} onClose={onPhrase}>
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
        <div className="ui-actions">
          <Button kind="primary" onPress={onPhrase}>
            {words.write}
          </Button>
        </div>
      </ModalDialog>
    );
  }
  return (
    <ConfirmDialog title={words.renewTitle} confirm={words.renewDo} work={renew} onClose={onClose}>
      <p>{words.renewText}</p>
      <p>{words.renewPhrase}</p>
      {asksPassword && <LockPasswordField value={password} onChange={setPassword} />}
    </ConfirmDialog>
  );
}

/** What the new key lacks. */
function notesOf(
  { later, needPhrase, services, lostPassphrase }: KeyChange,
  words: Strings['settings']['accountKey'],
): readonly string[] {
  return [
    ...later.map((place) => words.later(place)),
    ...services.map((place) => words.atService(place)),
    ...needPhrase.map((computer) => words.needPhrase(computer)),
    ...(lostPassphrase ? [words.lostPassphrase] : []),
  ];
}
