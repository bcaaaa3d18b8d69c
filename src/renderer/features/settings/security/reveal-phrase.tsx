import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { LockPasswordField, useAsksLockPassword } from '../../lock/lock-password-field.tsx';

/** The phrase is hidden after this time. */
const SHOWN_SECONDS = 60;

interface Revealed {
  readonly words: readonly string[];
  readonly isAsked: boolean;
}

/** Shows the recovery phrase again for a minute. The window does not keep it. */
export function RevealPhrase({ onClose }: { readonly onClose: () => void }): ReactElement {
  const words = useLanguage().strings.settings;
  const [revealed, setRevealed] = useState<Revealed>();
  const asksPassword = useAsksLockPassword();
  const [password, setPassword] = useState('');
  const reveal = async (): Promise<void> => {
    const shown = await call('shell.reveal-phrase', password === '' ? {} : { password });
    setPassword('');
    setRevealed(shown);
  };
  if (revealed) return <Shown revealed={revealed} onClose={onClose} />;
  return (
    <ConfirmDialog title={words.revealTitle} confirm={words.reveal} isDangerous={false} work={reveal} onClose={onClose}>
      <p>{words.revealText}</p>
      {asksPassword && <LockPasswordField value={password} onChange={setPassword} />}
    </ConfirmDialog>
  );
}

interface ShownProps {
  readonly revealed: Revealed;
  readonly onClose: () => void;
}

function Shown({ revealed, onClose }: ShownProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.settings;
  const [left, setLeft] = useState(SHOWN_SECONDS);
  useEffect(() => {
    const end = Date.now() + SHOWN_SECONDS * 1000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000))), 500);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (left === 0) onClose();
  }, [left, onClose]);
  return (
    <ModalDialog title={words.revealedTitle} onClose={onClose}>
      <ol className="settings-phrase">
        {revealed.words.map((word, index) => (
          <li key={`${index + 1} ${word}`} aria-label={`${words.word(index + 1)}: ${word}`}>
            <span className="ui-soft ui-number" aria-hidden="true">
              {index + 1}
            </span>
            <span aria-hidden="true">{word}</span>
          </li>
        ))}
      </ol>
      {!revealed.isAsked && <p className="ui-hint">{words.notAsked}</p>}
      <div className="ui-actions settings-phrase-end">
        <p className="ui-soft ui-number">{words.hiddenIn(formats.duration(left))}</p>
        <Button kind="primary" onPress={onClose}>
          {words.hide}
        </Button>
      </div>
    </ModalDialog>
  );
}
