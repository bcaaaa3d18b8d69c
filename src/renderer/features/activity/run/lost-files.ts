import type { Loss } from '../../../../ipc/contract/restore/check.ts';

/** A version of a file, lost in one restore point or several. */
export interface LostFile extends Omit<Loss, 'restorePoint'> {
  /** The earliest first. */
  readonly points: readonly string[];
}

/** Joins the losses that are of the same version of a file. */
export function lostFilesAmong(losses: readonly Loss[]): readonly LostFile[] {
  const files = new Map<string, Loss[]>();
  for (const loss of losses) {
    const { device, set, restorePoint, path, version } = loss;
    const key = JSON.stringify([device, set, path ?? restorePoint, version]);
    files.set(key, [...(files.get(key) ?? []), loss]);
  }
  return Array.from(files.values(), (same) => ({
    ...same.reduce((one, other) => (other.entries > one.entries ? other : one)),
    points: same.map(({ restorePoint }) => restorePoint).toSorted(),
  }));
}
