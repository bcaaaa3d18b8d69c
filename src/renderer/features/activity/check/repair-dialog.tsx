import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { useLanguage } from '../../../shared/use-language.ts';

interface RepairDialogProps {
  /** Called with the run. */
  readonly onStarted: (run: number) => void;
  readonly onClose: () => void;
}

/** Explains what a repair does, and starts it. */
export function RepairDialog({ onStarted, onClose }: RepairDialogProps): ReactElement {
  const words = useLanguage().strings.activity.check;
  const start = async (): Promise<void> => {
    const { run } = await call('runs.repair', {});
    onClose();
    onStarted(run);
  };
  return (
    <ConfirmDialog
      title={words.repairTitle}
      confirm={words.repairStart}
      isDangerous={false}
      work={start}
      onClose={onClose}
    >
      <p>{words.repairText}</p>
    </ConfirmDialog>
  );
}
