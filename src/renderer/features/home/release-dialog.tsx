import { useState } from 'react';
import type { ReactElement } from 'react';
import { isHoldfastError } from '../../../base/errors.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { SignInForm } from '../account/sign-in-form.tsx';

interface ReleaseDialogProps {
  /** It was another computer's run. */
  readonly isElsewhere: boolean;
  readonly onClose: () => void;
}

/** What says that the service wants to know who asks. */
const ASKS_WHO = new Set(['permission_denied', 'signed_out']);

/** Asks whether a person knows what changed their files, before restore points may be removed again. */
export function ReleaseDialog({ isElsewhere, onClose }: ReleaseDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.home.alarm;
  const [isWhoAsked, setWhoAsked] = useState(false);
  const { isPending, failure, run } = useAction();
  const close = (): void => {
    if (isWhoAsked) void call('account.leave', {}).catch(() => undefined);
    onClose();
  };
  const release = async (): Promise<void> => {
    await call('alarm.release', {});
    close();
  };
  const text = <p>{isElsewhere ? `${words.releaseElsewhere} ${words.releaseText}` : words.releaseText}</p>;
  if (isWhoAsked) {
    return (
      <ModalDialog title={words.releaseTitle} onClose={close}>
        <SignInForm lead={text} action={words.releaseAction} isDangerous onSigned={release} onCancel={close} />
      </ModalDialog>
    );
  }
  const tryIt = async (): Promise<void> => {
    try {
      await release();
    } catch (error) {
      if (!isHoldfastError(error) || !ASKS_WHO.has(error.code)) throw error;
      setWhoAsked(true);
    }
  };
  return (
    <ConfirmDialog
      title={words.releaseTitle}
      action={words.releaseAction}
      cancel={strings.common.cancel}
      isPending={isPending}
      onConfirm={() => run(tryIt)}
      onClose={close}
    >
      {text}
      <FailureNotice failure={failure} />
    </ConfirmDialog>
  );
}
