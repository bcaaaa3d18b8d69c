import { useEffect, useRef, useState } from 'react';
import type { Estimate } from '../../../../ipc/contract/sets.ts';
import { useStable } from '../../../bridge/deep-equality.ts';
import { pollEstimate, stopEstimate } from '../../sets/estimate/poll-estimate.ts';

export type FolderSize = Estimate | 'failed';

/** Counts what each folder would add to a backup. The figures grow while it is counted. */
export function useFolderSizes(
  paths: readonly string[],
  presets: readonly string[] | undefined,
): ReadonlyMap<string, FolderSize> {
  const [sizes, setSizes] = useState<ReadonlyMap<string, FolderSize>>(new Map());
  const latest = useRef(new Map<string, FolderSize>());
  const wanted = useStable(presets && { paths, presets });
  useEffect(() => {
    if (!wanted) return undefined;
    const ends = new AbortController();
    const take = (path: string, size: FolderSize): void => {
      latest.current.set(path, size);
      setSizes(new Map(latest.current));
    };
    for (const path of wanted.paths) {
      if (isDone(latest.current.get(path))) continue;
      const request = {
        estimate: estimateOf(path),
        roots: [path],
        excludes: [],
        presets: [...wanted.presets],
        oneFileSystem: false,
      };
      pollEstimate(request, (size) => take(path, size), ends.signal).catch(() => {
        if (!ends.signal.aborted) take(path, 'failed');
      });
    }
    return () => ends.abort();
  }, [wanted]);
  useEffect(() => {
    const counted = latest.current;
    return () => {
      // The first backup starts now, and nothing should compete with it.
      for (const [path, size] of counted) if (!isDone(size)) stopEstimate(estimateOf(path));
    };
  }, []);
  return sizes;
}

function isDone(size: FolderSize | undefined): boolean {
  return size !== undefined && size !== 'failed' && size.done;
}

/** Stays the same after a step back, so that the agent continues its count. */
function estimateOf(path: string): string {
  return `first ${path}`;
}
