import { useEffect, useState } from 'react';
import type { Estimate } from '../../../ipc/sets.ts';
import { call } from '../../bridge.ts';

const ASK_AGAIN = 300;

export type FolderSize = Estimate | 'failed';

/** What each folder would bring into a backup, growing while it is counted. */
export function useFolderSizes(
  paths: readonly string[],
  presets: readonly string[] | undefined,
): ReadonlyMap<string, FolderSize> {
  const [sizes, setSizes] = useState<ReadonlyMap<string, FolderSize>>(new Map());
  const key = presets && JSON.stringify({ paths, presets });
  useEffect(() => {
    if (key === undefined) return undefined;
    const wanted = JSON.parse(key) as { paths: string[]; presets: string[] };
    const ends = new AbortController();
    for (const path of wanted.paths) {
      void count(path, wanted.presets, ends.signal, (size) => setSizes((before) => new Map(before).set(path, size)));
    }
    return () => ends.abort();
  }, [key]);
  return sizes;
}

async function count(
  path: string,
  presets: readonly string[],
  ends: AbortSignal,
  tell: (size: FolderSize) => void,
): Promise<void> {
  const request = {
    // The same name after a step back: what is counted already stays counted.
    estimate: `first ${path}`,
    roots: [path],
    excludes: [],
    presets: [...presets],
    oneFileSystem: false,
  };
  try {
    for (;;) {
      const size = await call('sets.estimate', request);
      if (ends.aborted) return;
      tell(size);
      if (size.done) return;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
    }
  } catch {
    if (!ends.aborted) tell('failed');
  }
}
