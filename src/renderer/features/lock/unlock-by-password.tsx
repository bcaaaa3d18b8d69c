import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { LockState } from '../../../ipc/state.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { useSecondsUntil } from './use-seconds-until.ts';

interface UnlockByPasswordProps {
  readonly lock: LockState;
  readonly onForgotten: () => void;
}

/** The field for the password, and the system's own question where there is one. */
export function UnlockByPassword({ lock, onForgotten }: UnlockByPasswordProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.lock;
  const [password, setPassword] = useState('');
  const { isPending, failure, run } = useAction();
  const wait = useSecondsUntil(lock.waitUntil);
  const form = useRef<HTMLFormElement>(null);
  const unlock = async (): Promise<void> => {
    try {
      await call('lock.unlock', { password });
    } catch (error) {
      // It is wrong, or not looked at yet: the next one is typed from its beginning.
      setPassword('');
      form.current?.querySelector('input')?.focus();
      throw error;
    }
  };
  // The failure says for how long, and so does what counts down: one of them is enough.
  const isWaiting = wait > 0;
  const shown = isWaiting && failure?.code === 'lock_wait' ? undefined : withoutSeconds(failure);
  return (
    <Form
      ref={form}
      className="lock-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (password !== '' && !isWaiting) run(unlock);
      }}
    >
      <h1>{words.title}</h1>
      <TextField
        label={words.password}
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        takesFocus
      />
      {isWaiting ? (
        <p className="lock-wait ui-number" role="status">
          {words.waits(formats.duration(wait))}
        </p>
      ) : (
        <FailureNotice failure={shown} />
      )}
      <Button kind="primary" type="submit" isPending={isPending} isDisabled={isWaiting}>
        {words.unlock}
      </Button>
      {lock.canAskSystem && (
        <Button onPress={() => run(() => call('lock.unlock-with-system', {}))}>{words.withSystem}</Button>
      )}
      <Button kind="quiet" onPress={onForgotten}>
        {words.forgotten}
      </Button>
    </Form>
  );
}

function withoutSeconds(failure: ReturnType<typeof useAction>['failure']): typeof failure {
  const isTimed = failure?.code === 'lock_password_wrong' || failure?.code === 'lock_wait';
  return isTimed ? { code: failure.code, details: {} } : failure;
}
