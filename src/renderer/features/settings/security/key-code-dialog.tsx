import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { KeyCode } from '../../../../ipc/contract/account/keys.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { LockPasswordField, useAsksLockPassword } from '../../lock/lock-password-field.tsx';

/** Shows a code with which one new computer gets the key. The window keeps it only while it is shown. */
export function KeyCodeDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const words = useLanguage().strings.settings.accountKey;
  const places = (useAppState(({ destinations }) => destinations) ?? []).filter(({ kind }) => kind !== 'service');
  const asksPassword = useAsksLockPassword();
  const [chosen, setChosen] = useState<string>();
  const [password, setPassword] = useState('');
  const [shown, setShown] = useState<KeyCode>();
  const place = places.find(({ id }) => id === chosen) ?? places[0];
  const show = async (): Promise<void> => {
    const code = await call('key.show-code', {
      ...(place && { destination: place.id }),
      ...(password !== '' && { password }),
    });
    setPassword('');
    setShown(code);
  };
  if (shown) return <Shown code={shown} onClose={onClose} />;
  return (
    <ConfirmDialog title={words.codeTitle} confirm={words.codeDo} isDangerous={false} work={show} onClose={onClose}>
      <p>{words.codeText}</p>
      {place && places.length > 1 && (
        <Select
          label={words.codeAt}
          options={places.map(({ id, name }) => ({ value: id, label: name }))}
          value={place.id}
          onChange={setChosen}
        />
      )}
      {asksPassword && <LockPasswordField value={password} onChange={setPassword} />}
    </ConfirmDialog>
  );
}

function Shown({ code, onClose }: { readonly code: KeyCode; readonly onClose: () => void }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.settings.accountKey;
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => setOver(Date.now() >= code.expires), 1000);
    return () => clearInterval(timer);
  }, [code.expires]);
  return (
    <ModalDialog title={words.codeShown} onClose={onClose}>
      <p>{words.codeHow}</p>
      <p className="settings-path ui-path">{code.location}</p>
      <div className="ui-secret">
        <code translate="no">{isOver ? '' : code.code}</code>
      </div>
      <div className="ui-actions settings-phrase-end">
        <p className="ui-soft" role="status" data-live-announcer>
          {isOver ? words.codeOver : words.codeUntil(formats.clock(code.expires))}
        </p>
        <Button kind="primary" onPress={onClose}>
          {words.close}
        </Button>
      </div>
    </ModalDialog>
  );
}
