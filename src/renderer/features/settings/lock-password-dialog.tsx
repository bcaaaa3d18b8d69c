import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import { LOCK_PASSWORD_LENGTH } from '../../../ipc/lock.ts';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../ui/button.tsx';
import { ModalDialog } from '../../ui/modal-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useAction } from '../../use-action.ts';
import { useLanguage } from '../../use-language.ts';

export type LockDialogKind = 'set' | 'change' | 'remove';

interface LockPasswordDialogProps {
  readonly kind: LockDialogKind;
  readonly onClose: () => void;
}

/** Sets a password for the lock, changes it, or takes it away. */
export function LockPasswordDialog({ kind, onClose }: LockPasswordDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.lock;
  const { isPending, failure, run, clear } = useAction();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [isDifferent, setDifferent] = useState(false);
  const isKnown = kind !== 'set';
  const isNew = kind !== 'remove';
  const look = {
    set: { title: words.setTitle, text: words.setText, action: words.set },
    change: { title: words.changeTitle, text: words.setText, action: words.changeDo },
    remove: { title: words.removeTitle, text: words.removeText, action: words.remove },
  }[kind];
  const save = async (): Promise<void> => {
    if (isNew) await call('lock.set-password', { password: next, ...(isKnown && { current }) });
    else await call('lock.remove', { current });
    onClose();
  };
  return (
    <ModalDialog title={look.title} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          clear();
          if (isNew && next !== again) setDifferent(true);
          else run(save);
        }}
      >
        <p>{look.text}</p>
        {isKnown && (
          <TextField
            label={isNew ? words.current : words.password}
            name="current"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            isRequired
            takesFocus
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
              minLength={LOCK_PASSWORD_LENGTH}
              value={next}
              onChange={setNext}
              isRequired
              takesFocus={!isKnown}
            />
            <TextField
              label={isKnown ? words.repeat : words.repeatFirst}
              name="again"
              type="password"
              autoComplete="new-password"
              value={again}
              onChange={(text) => {
                setAgain(text);
                setDifferent(false);
              }}
              isRequired
              {...(isDifferent && { error: words.different })}
            />
          </>
        )}
        <FailureNotice failure={failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button kind="primary" type="submit" isPending={isPending}>
            {look.action}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}
