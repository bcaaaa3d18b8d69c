import { useState } from 'react';
import type { ReactElement } from 'react';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { call } from '../../bridge/bridge.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { SignedConfirmDialog } from '../account/signed-confirm-dialog.tsx';

interface ReleaseDialogProps {
  /** Another computer made the run. */
  readonly isElsewhere: boolean;
  readonly onClose: () => void;
}

/** Asks the person to confirm that the changes were theirs, before restore points may be removed again. */
export function ReleaseDialog({ isElsewhere, onClose }: ReleaseDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.home.alarm;
  const [service, setService] = useState<string>();
  const destinations = useAppState((state) => state.destinations) ?? [];
  const place = destinations.length > 1 ? destinations.find(({ id }) => id === service) : undefined;
  const release = async (): Promise<void> => {
    const { signInAt } = await call('alarm.release', {});
    setService(signInAt);
    if (signInAt !== undefined) throw new HoldfastError('signed_out', { problem: 'sign-in-needed' });
  };
  const text = <p>{isElsewhere ? `${words.releaseElsewhere} ${words.releaseText}` : words.releaseText}</p>;
  return (
    <SignedConfirmDialog
      destination={service}
      title={words.releaseTitle}
      confirm={words.releaseAction}
      work={release}
      lead={
        <>
          {text}
          {place && <p>{words.releaseSignIn(place.name)}</p>}
        </>
      }
      onDone={onClose}
      onClose={onClose}
    >
      {text}
    </SignedConfirmDialog>
  );
}
