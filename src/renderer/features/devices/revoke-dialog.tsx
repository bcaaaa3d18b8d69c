import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { ListedDevice } from '../../../ipc/devices.ts';
import { CallFailure } from '../../../ipc/failure.ts';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../ui/button.tsx';
import { ModalDialog } from '../../ui/modal-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useAction } from '../../use-action.ts';
import { useLanguage } from '../../use-language.ts';

interface RevokeDialogProps {
  readonly device: ListedDevice;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** What says that the service wants to know who asks. */
const ASKS_WHO = new Set(['permission_denied', 'signed_out', 'code_needed']);

/** Asks before a computer is locked out; who it is that asks, only where the service wants to know. */
export function RevokeDialog({ device, onDone, onClose }: RevokeDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.devices;
  const [isWhoAsked, setWhoAsked] = useState(false);
  const { isPending, failure, run } = useAction();
  const revoke = async (form: FormData): Promise<void> => {
    const signIn = isWhoAsked
      ? { email: textOf(form, 'email'), password: textOf(form, 'password'), code: textOf(form, 'code') }
      : undefined;
    try {
      await call('devices.revoke', { id: device.id, ...(signIn === undefined ? {} : { signIn }) });
    } catch (error) {
      if (isWhoAsked || !(error instanceof CallFailure) || !ASKS_WHO.has(error.failure.code)) throw error;
      setWhoAsked(true);
      return;
    }
    onDone();
  };
  return (
    <ModalDialog title={words.revokeTitle(device.name)} onClose={onClose}>
      <Form
        className="ui-stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          run(() => revoke(form));
        }}
      >
        <p>{words.revokeBody}</p>
        {isWhoAsked && (
          <>
            <p>{words.signIn}</p>
            <TextField label={words.email} name="email" type="email" autoComplete="username" isRequired takesFocus />
            <TextField
              label={words.password}
              name="password"
              type="password"
              autoComplete="current-password"
              isRequired
            />
            <TextField
              label={words.code}
              name="code"
              hint={words.codeHint}
              inputMode="numeric"
              autoComplete="one-time-code"
              isRequired
            />
          </>
        )}
        <FailureNotice failure={failure} />
        <div className="ui-actions">
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button kind="danger" type="submit" isPending={isPending}>
            {words.revokeDo}
          </Button>
        </div>
      </Form>
    </ModalDialog>
  );
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
