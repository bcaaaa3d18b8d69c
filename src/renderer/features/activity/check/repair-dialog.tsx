import type { ReactElement } from 'react';
import type { Place } from '../../../../model/destination.ts';
import { call } from '../../../bridge/bridge.ts';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { useLanguage } from '../../../shared/use-language.ts';

interface RepairDialogProps {
  /** One of several; the only one by default. */
  readonly destination?: Place | undefined;
  /** Called with the run. */
  readonly onStarted: (run: number) => void;
  readonly onClose: () => void;
}

/** Explains what a repair does, and starts it. */
export function RepairDialog({ destination, onStarted, onClose }: RepairDialogProps): ReactElement {
  const words = useLanguage().strings.activity.check;
  const start = async (isShown: () => boolean): Promise<void> => {
    const { run } = await call('runs.repair', { destination: destination?.id });
    if (!isShown()) return;
    onClose();
    onStarted(run);
  };
  return (
    <ConfirmDialog
      title={destination ? words.repairTitleAt(destination.name) : words.repairTitle}
      confirm={words.repairStart}
      isDangerous={false}
      work={start}
      onClose={onClose}
    >
      <p>{words.repairText}</p>
    </ConfirmDialog>
  );
}
