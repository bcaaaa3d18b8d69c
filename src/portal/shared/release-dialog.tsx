import type { ReactElement } from 'react';
import { backups } from '../api/calls.ts';
import { useLanguage } from '../strings/language.ts';
import { Confirmation } from './confirmation.tsx';

interface ReleaseDialogProps {
  readonly deviceId: string;
  readonly set: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before the hold on removals ends. It ends for the whole account, whichever of its sets is named. */
export function ReleaseDialog({ deviceId, set, onDone, onClose }: ReleaseDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.retention;
  return (
    <Confirmation
      title={words.releaseTitle}
      body={words.releaseBody}
      action={words.release}
      work={async () => {
        await backups.retention({ action: 'release', device_id: deviceId, backup_set: set });
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
