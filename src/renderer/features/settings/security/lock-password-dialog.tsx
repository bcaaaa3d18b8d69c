import { useState } from 'react';
import type { ReactElement } from 'react';
import { LOCK_PASSWORD_LENGTH } from '../../../../ipc/contract/account/lock.ts';
import type { Strings } from '../../../../strings/compiled/en.ts';
import { call } from '../../../bridge/bridge.ts';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { FormDialog } from '../../../../ui/dialogs/form-dialog.tsx';

export type LockDialogKind = 'set' | 'change' | 'remove';

interface LockPasswordDialogProps {
  readonly kind: LockDialogKind;
  readonly onClose: () => void;
}

/** Sets, changes or removes the password of the lock. */
export function LockPasswordDialog({ kind, onClose }: LockPasswordDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.lock;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [isTried, setTried] = useState(false);
  const isKnown = kind !== 'set';
  const isNew = kind !== 'remove';
  const texts = {
    set: { title: words.setTitle, text: words.setText, action: words.set },
    change: { title: words.changeTitle, text: words.setText, action: words.changeDo },
    remove: { title: words.removeTitle, text: words.removeText, action: words.remove },
  }[kind];
  const wrong = isTried ? mistakes({ current, next, again }, { isKnown, isNew }, strings) : {};
  const save = async (): Promise<void> => {
    if (isNew) await call('lock.set-password', { password: next, ...(isKnown && { current }) });
    else await call('lock.remove', { current });
    onClose();
  };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.action}
      work={() => {
        const isWrong = Object.keys(mistakes({ current, next, again }, { isKnown, isNew }, strings)).length > 0;
        setTried(isWrong);
        return isWrong ? undefined : save();
      }}
      onClose={onClose}
    >
      <p>{texts.text}</p>
      {isKnown && (
        <TextField
          label={isNew ? words.current : words.password}
          name="current"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          takesFocus
          error={wrong.current}
        />
      )}
      {isNew && (
        <>
          <TextField
            label={isKnown ? words.next : words.password}
            name="next"
            type="password"
            autoComplete="new-password"
            hint={words.nextHint}
            value={next}
            onChange={setNext}
            takesFocus={!isKnown}
            error={wrong.next}
          />
          <TextField
            label={isKnown ? words.repeat : words.repeatFirst}
            name="again"
            type="password"
            autoComplete="new-password"
            value={again}
            onChange={setAgain}
            error={wrong.again}
          />
        </>
      )}
    </FormDialog>
  );
}

type Fields = 'current' | 'next' | 'again';

/** Checks the fields. The browser's own messages would be in its language. */
function mistakes(
  { current, next, again }: Readonly<Record<Fields, string>>,
  { isKnown, isNew }: { readonly isKnown: boolean; readonly isNew: boolean },
  { lock, account }: Strings,
): Readonly<Partial<Record<Fields, string>>> {
  return {
    ...(isKnown && current === '' && { current: account.missing }),
    ...(isNew && next.length < LOCK_PASSWORD_LENGTH && { next: lock.tooShort(LOCK_PASSWORD_LENGTH) }),
    ...(isNew && next !== again && { again: lock.different }),
  };
}
