import type { ReactElement } from 'react';
import { call } from '../../bridge/bridge.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { SignedConfirmDialog } from '../account/signed-confirm-dialog.tsx';

interface ReleaseDialogProps {
  /** Another computer made the run. */
  readonly isElsewhere: boolean;
  readonly onClose: () => void;
}

/** Asks the person to confirm that the changes were theirs, before restore points may be removed again. */
export function ReleaseDialog({ isElsewhere, onClose }: ReleaseDialogProps): ReactElement {
  const words = useLanguage().strings.home.alarm;
  return (
    <SignedConfirmDialog
      title={words.releaseTitle}
      confirm={words.releaseAction}
      work={() => call('alarm.release', {})}
      onDone={onClose}
      onClose={onClose}
    >
      <p>{isElsewhere ? `${words.releaseElsewhere} ${words.releaseText}` : words.releaseText}</p>
    </SignedConfirmDialog>
  );
}
