import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PassphraseChange } from '../../../../ipc/contract/account/keys.ts';
import type { Strings } from '../../../../strings/compiled/en.ts';
import { FormDialog } from '../../../../ui/dialogs/form-dialog.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { LockPasswordField, useAsksLockPassword } from '../../lock/lock-password-field.tsx';

export type PassphraseDialogKind = 'set' | 'change' | 'remove';

interface PassphraseDialogProps {
  readonly kind: PassphraseDialogKind;
  /** Called with what was changed, and then with what was not. */
  readonly onDone: (notes: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Sets, changes or removes the passphrase that opens the key of the backups. */
export function PassphraseDialog({ kind, onDone, onClose }: PassphraseDialogProps): ReactElement {
  const words = useLanguage().strings.settings.accountKey;
  const asksPassword = useAsksLockPassword();
  const [password, setPassword] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [isTried, setTried] = useState(false);
  const isNew = kind !== 'remove';
  const isMissing = isNew && passphrase === '';
  const isDifferent = isNew && passphrase !== again;
  const texts = {
    set: { title: words.setTitle, action: words.set },
    change: { title: words.changeTitle, action: words.change },
    remove: { title: words.removeTitle, action: words.remove },
  }[kind];
  const save = async (): Promise<void> => {
    const given = { ...(isNew && { passphrase }), ...(password !== '' && { password }) };
    onDone(notesOf(await call('key.set-passphrase', given), isNew, words));
  };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.action}
      isDangerous={!isNew}
      work={() => {
        setTried(isMissing || isDifferent);
        return isMissing || isDifferent ? undefined : save();
      }}
      onClose={onClose}
    >
      <p>{isNew ? words.passphraseText : words.removeText}</p>
      {kind === 'change' && <p>{words.oldPassphrase}</p>}
      {isNew && (
        <>
          <TextField
            label={words.passphrase}
            name="passphrase"
            type="password"
            autoComplete="new-password"
            value={passphrase}
            onChange={setPassphrase}
            takesFocus
            error={isTried && isMissing ? words.missing : undefined}
          />
          <TextField
            label={words.repeat}
            name="passphrase-again"
            type="password"
            autoComplete="new-password"
            value={again}
            onChange={setAgain}
            error={isTried && !isMissing && isDifferent ? words.different : undefined}
          />
        </>
      )}
      {asksPassword && <LockPasswordField value={password} takesFocus={!isNew} onChange={setPassword} />}
    </FormDialog>
  );
}

function notesOf(
  { kept, unchanged }: PassphraseChange,
  isNew: boolean,
  words: Strings['settings']['accountKey'],
): readonly string[] {
  return [
    isNew ? words.passphraseSet : words.passphraseRemoved,
    ...kept.map((place) => words.kept(place)),
    ...unchanged.map((place) => words.unchanged(place)),
  ];
}
