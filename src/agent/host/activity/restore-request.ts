import type { JobRecord, JournalledRequest } from '../../../engine/job/journal.ts';
import { conflictChoice, type RestoreRequest } from '../../../ipc/contract/restore.ts';

/**
 * What a restore of the journal was asked for; nothing of other runs, nor where that is not known.
 *
 * @param restorePoint that it found, where it came so far
 * @param ownDevice this computer, which a request does not name
 */
export function restoreRequestOf(
  { kind, backupSet, target, request }: JobRecord,
  restorePoint: string | undefined,
  ownDevice: string | undefined,
): RestoreRequest | undefined {
  if (kind !== 'restore' || target === null || request === null) return undefined;
  const { deviceId, at, paths, without, conflict } = JSON.parse(request) as JournalledRequest;
  const point = restorePoint ?? (at === 'latest' ? undefined : new Date(at).toISOString());
  if (point === undefined) return undefined;
  const choice = conflictChoice.safeParse(conflict);
  return {
    set: backupSet,
    ...(deviceId === ownDevice ? {} : { device: deviceId }),
    restorePoint: point,
    paths: [...paths],
    ...(without.length === 0 ? {} : { without: [...without] }),
    to: target,
    ...(choice.success ? { conflict: choice.data } : {}),
  };
}
