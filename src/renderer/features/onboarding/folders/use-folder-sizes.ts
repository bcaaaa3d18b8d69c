import { useEffect, useRef, useState } from 'react';
import type { Estimate } from '../../../../ipc/contract/sets.ts';
import { call } from '../../../bridge/bridge.ts';

const ASK_AGAIN = 300;

export type FolderSize = Estimate | 'failed';

/** What each folder would bring into a backup, growing while it is counted. */
export function useFolderSizes(
  paths: readonly string[],
  presets: readonly string[] | undefined,
): ReadonlyMap<string, FolderSize> {
  const [sizes, setSizes] = useState<ReadonlyMap<string, FolderSize>>(new Map());
  const latest = useRef(new Map<string, FolderSize>());
  const key = presets && JSON.stringify({ paths, presets });
  useEffect(() => {
    if (key === undefined) return undefined;
    const wanted = JSON.parse(key) as { paths: string[]; presets: string[] };
    const ends = new AbortController();
    const tell = (path: string, size: FolderSize): void => {
      latest.current.set(path, size);
      setSizes(new Map(latest.current));
    };
    for (const path of wanted.paths) {
      if (!isDone(latest.current.get(path))) void count(path, wanted.presets, ends.signal, tell);
    }
    return () => ends.abort();
  }, [key]);
  useEffect(() => {
    const counted = latest.current;
    return () => {
      // The first backup begins now, and nothing has to compete with it.
      for (const [path, size] of counted) {
        if (!isDone(size)) void call('sets.estimate.stop', { estimate: nameOf(path) }).catch(() => undefined);
      }
    };
  }, []);
  return sizes;
}

function isDone(size: FolderSize | undefined): boolean {
  return size !== undefined && size !== 'failed' && size.done;
}

/** The same after a step back: what is counted already stays counted. */
function nameOf(path: string): string {
  return `first ${path}`;
}

async function count(
  path: string,
  presets: readonly string[],
  ends: AbortSignal,
  tell: (path: string, size: FolderSize) => void,
): Promise<void> {
  const request = {
    estimate: nameOf(path),
    roots: [path],
    excludes: [],
    presets: [...presets],
    oneFileSystem: false,
  };
  try {
    while (!ends.aborted) {
      const size = await call('sets.estimate', request);
      if (ends.aborted) return;
      tell(path, size);
      if (size.done) return;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
    }
  } catch {
    if (!ends.aborted) tell(path, 'failed');
  }
}
