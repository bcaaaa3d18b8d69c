import { useMemo } from 'react';
import type { HistoryCompleteness } from '../../../../ipc/contract/restore/history.ts';
import type { FileReference } from '../../../../ipc/contract/restore/preview.ts';
import { useCall } from '../../../bridge/use-call.ts';
import type { Looking } from '../store/restore-store.ts';

/** A version of a file, with the restore points that have it. */
export interface ShownVersion {
  /** Times of the first and the last of them, ISO 8601. The last one identifies the version. */
  readonly from: string;
  readonly to: string;
  /** When the last one was made. */
  readonly madeTo: string;
  readonly size: number;
  /** ISO 8601. */
  readonly modified: string;
  /** Equal for the same bytes; `undefined` if it is not known. */
  readonly content: string | undefined;
  /** The number of restore points; 0 if it is not known. */
  readonly points: number;
}

interface Versions {
  /** Newest first; not empty. */
  readonly versions: readonly ShownVersion[];
  readonly completeness: HistoryCompleteness | undefined;
  readonly isLoading: boolean;
}

/** Lists the versions of a file. Until the history answers, or if it does not know the file, there is the one that was opened. */
export function useVersions({ source, path, restorePoint, madeAt, entry }: Looking): Versions {
  const { set, device, destination } = source;
  const answer = useCall('history.versions', { set, device, destination, path });
  return useMemo(() => {
    const completeness = answer.kind === 'ready' ? answer.value.completeness : undefined;
    const known = answer.kind === 'ready' ? answer.value.versions.filter(({ kind }) => kind === 'file') : [];
    const opened = { from: restorePoint, to: restorePoint, madeTo: madeAt, ...entry, content: undefined, points: 0 };
    const isKnown = known.some(({ from, to }) => from <= restorePoint && restorePoint <= to);
    const versions = [...known, ...(isKnown ? [] : [opened])];
    return {
      versions: versions.toSorted((one, other) => (one.to < other.to ? 1 : -1)),
      completeness,
      isLoading: answer.kind === 'waiting',
    };
  }, [answer, restorePoint, madeAt, entry]);
}

/** The version that a restore point has. */
export function versionAt(versions: readonly ShownVersion[], restorePoint: string): ShownVersion {
  return versions.find(({ from, to }) => from <= restorePoint && restorePoint <= to) ?? versions[0]!;
}

/** The file as it is in a version. */
export function referenceOf({ source, path }: Looking, { to }: ShownVersion): FileReference {
  const { set, device, destination } = source;
  return { set, device, destination, restorePoint: to, path };
}
