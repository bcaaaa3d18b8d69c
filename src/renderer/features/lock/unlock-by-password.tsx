import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { LockState } from '../../../ipc/state.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { useSecondsUntil } from './use-seconds-until.ts';
import { failureOf } from '../../bridge/use-call.ts';
import type { Failure } from '../../../base/errors/failure.ts';

interface UnlockByPasswordProps {
  readonly lock: LockState;
  readonly onForgotten: () => void;
}

/** Unlocks by password, or by the authentication of the system if there is one. */
export function UnlockByPassword({ lock, onForgotten }: UnlockByPasswordProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.lock;
  const [password, setPassword] = useState('');
  const { isPending, failure, run } = useAction();
  const wait = useSecondsUntil(lock.waitUntil);
  const form = useRef<HTMLFormElement>(null);
  const unlock = async (): Promise<void> => {
    const before = document.activeElement;
    try {
      await call('lock.unlock', { password });
    } catch (error) {
      // The password was wrong or not checked yet; the next attempt starts with an empty field, unless the person has begun it already.
      setPassword((now) => (now === password ? '' : now));
      if (document.activeElement === before) form.current?.querySelector('input')?.focus();
      throw error;
    }
  };
  // The countdown already shows the waiting time that the failure contains.
  const isWaiting = wait > 0;
  const shown = failure === undefined ? undefined : withoutSeconds(failureOf(failure));
  return (
    <Form
      ref={form}
      className="ui-stack lock-form"
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
        <>
          {/* A timer is not announced while it counts down. */}
          <p className="lock-wait ui-number" role="timer">
            {words.waits(formats.duration(wait))}
          </p>
          <AnnouncedWait key={lock.waitUntil} seconds={wait} />
        </>
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

function withoutSeconds(failure: Failure): Failure {
  const isTimed = failure.code === 'lock_password_wrong' || failure.code === 'lock_wait';
  return isTimed ? { code: failure.code, details: {} } : failure;
}

/** Announces a wait once, as long as it was in the beginning. */
function AnnouncedWait({ seconds }: { readonly seconds: number }): ReactElement {
  const { strings, formats } = useLanguage();
  const [first] = useState(seconds);
  return (
    <p className="ui-hidden" role="status" data-live-announcer>
      {strings.lock.waits(formats.duration(first))}
    </p>
  );
}
