import type { CopyProgress } from '../../copy/types.ts';
import type { BackupProgress, LowPriorityReason, Progress, RestoreProgress } from '../../jobs/progress.ts';
import { countText, durationText, figureText, printable, sizeText } from '../text.ts';

/** What a reporter shows. */
export type ShownProgress = Progress | CopyProgress;

/** Shows the progress of a run. */
export interface ProgressReporter {
  /** @param of the set, for a command that backs up several one after the other */
  show(progress: ShownProgress, of?: string): void;
  /** Restores the terminal. */
  end(): void;
}

/** Describes the progress of a run in one line. */
export function progressText(progress: ShownProgress, of?: string): string {
  return of === undefined ? textOf(progress) : `${printable(of)}: ${textOf(progress)}`;
}

function textOf(progress: ShownProgress): string {
  if (progress.kind === 'copy') return copyText(progress);
  const text = progress.kind === 'backup' ? backupText(progress) : restoreText(progress);
  const eta = progress.etaSeconds === undefined ? '' : `, about ${durationText(Math.ceil(progress.etaSeconds))} left`;
  const state = progress.waiting === undefined ? eta : ` (waiting: ${waitingText(progress.waiting)})`;
  return text + state + lowPriorityText(progress);
}

function backupText(progress: BackupProgress): string {
  if (progress.phase === 'committing') return 'Finishing';
  if (progress.phase === 'scanning') {
    return `Scanning: ${countText(progress.filesScanned, 'file')}, ${sizeText(progress.bytesScanned)}`;
  }
  return `Uploading: ${sizeText(progress.bytesUploaded)} of ${sizeText(progress.bytesTotal)}`;
}

function restoreText(progress: RestoreProgress): string {
  const isOfDestination = progress.kind === 'check' || progress.kind === 'repair';
  if (progress.phase === 'planning') {
    return progress.kind === 'restore' ? 'Comparing with the target' : 'Reading the lists of files';
  }
  if (progress.phase === 'finishing') return isOfDestination ? 'Checking the restore points' : 'Finishing';
  const verb = progress.kind === 'restore' ? 'Restoring' : 'Checking';
  const files = `${figureText(progress.filesDone)} of ${countText(progress.filesTotal, 'file')}`;
  return `${verb}: ${files}, ${sizeText(progress.bytesDone)} of ${sizeText(progress.bytesTotal)}`;
}

function copyText({ pointsDone, pointsTotal, bytesCopied, waiting }: CopyProgress): string {
  const points = `${figureText(pointsDone)} of ${countText(pointsTotal, 'restore point')}`;
  const state = waiting === undefined ? '' : ` (waiting: ${waitingText(waiting)})`;
  return `Copying: ${points}, ${sizeText(bytesCopied)}${state}`;
}

export function lowPriorityText(progress: ShownProgress): string {
  if (progress.kind !== 'backup' || progress.lowPriority === undefined) return '';
  return ` (low priority: ${LOW_PRIORITY_TEXTS[progress.lowPriority]})`;
}

const LOW_PRIORITY_TEXTS: Readonly<Record<LowPriorityReason, string>> = {
  asked: 'requested',
  'on-battery': 'on battery power',
  'person-active': 'the computer is in use',
};

function waitingText(reason: string): string {
  return WAITING_TEXTS[reason] ?? reason;
}

const WAITING_TEXTS: Readonly<Record<string, string>> = {
  service_unreachable: 'the service cannot be reached',
  service_silent: 'the service does not respond',
  service_busy: 'the service is busy',
  destination_unreachable: 'the destination cannot be reached',
  destination_busy: 'the destination is busy',
};
