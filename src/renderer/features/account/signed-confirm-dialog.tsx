import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { failureOf } from '../../bridge/use-call.ts';
import { leaveAccount, SignInDialog } from './sign-in-dialog.tsx';

/** Failures with which the service demands that a person signs in. */
const DEMANDS = new Set(['permission_denied', 'signed_out']);

interface SignedConfirmDialogProps {
  /** The id of the service at which a person signs in; the first by default. */
  readonly destination?: string | undefined;
  readonly title: string;
  readonly children: ReactNode;
  /** Shown above the fields of the sign-in; the same as above by default. */
  readonly lead?: ReactNode;
  /** Label of the button that confirms. */
  readonly confirm: string;
  readonly work: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before something dangerous, and has the person sign in if the service demands it. */
export function SignedConfirmDialog(props: SignedConfirmDialogProps): ReactElement {
  const { destination, title, children, lead = children, confirm, work, onDone, onClose } = props;
  const [needsSignIn, setNeedsSignIn] = useState(false);
  if (needsSignIn) {
    const signed = async (): Promise<void> => {
      await work();
      leaveAccount();
      onDone();
    };
    return (
      // Another service, another sign-in.
      <SignInDialog
        key={destination}
        destination={destination}
        title={title}
        lead={lead}
        action={confirm}
        isDangerous
        onSigned={signed}
        onClose={onClose}
      />
    );
  }
  const attempt = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!DEMANDS.has(failureOf(error).code)) throw error;
      setNeedsSignIn(true);
      return;
    }
    onDone();
  };
  return (
    <ConfirmDialog title={title} confirm={confirm} work={attempt} onClose={onClose}>
      {children}
    </ConfirmDialog>
  );
}
