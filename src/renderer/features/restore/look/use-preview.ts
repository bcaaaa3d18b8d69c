import { useCallback, useEffect, useState } from 'react';
import type { FileReference, Preview } from '../../../../ipc/contract/restore/preview.ts';
import { useResource } from '../../../../ui/requests/use-resource.ts';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import { call } from '../../../bridge/bridge.ts';
import { useStable } from '../../../bridge/deep-equality.ts';

export type PreviewResource = Resource<Preview> & {
  /** Fetches a file that is too large to be fetched without being asked. */
  readonly fetchLarge: () => void;
};

/** Fetches the content of a file while it is shown: of a version, or what is in its original place now. */
export function usePreview(file: FileReference, isOnDisk = false): PreviewResource {
  const stable = useStable(file);
  const [large, setLarge] = useState<FileReference>();
  const isLarge = large === stable;
  const resource = useResource(
    useCallback(
      () => call('preview.open', { file: stable, isLarge, ...(isOnDisk && { isOnDisk }) }),
      [stable, isLarge, isOnDisk],
    ),
  );
  const preview = resource.kind === 'ready' && 'preview' in resource.value ? resource.value.preview : undefined;
  useEffect(() => {
    if (preview === undefined) return undefined;
    return () => void call('preview.close', { preview });
  }, [preview]);
  return { ...resource, fetchLarge: () => setLarge(stable) };
}
