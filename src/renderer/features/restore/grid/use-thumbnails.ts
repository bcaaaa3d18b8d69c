import { useEffect, useMemo, useState } from 'react';
import { useObservable } from '../../../shared/observable.ts';
import { Thumbnails } from './thumbnails.ts';
import type { WantedPicture } from './thumbnails.ts';

/** Milliseconds without scrolling after which the pictures that are visible then are fetched. */
const REST = 120;

/** Fetches thumbnails of what is visible. @param pictures the visible ones of a folder; changes with each scroll */
export function useThumbnails(pictures: readonly WantedPicture[], folder: string, isOn: boolean): Thumbnails {
  const [thumbnails] = useState(() => new Thumbnails());
  useObservable(thumbnails);
  useEffect(() => {
    if (!isOn) return undefined;
    thumbnails.start();
    return () => thumbnails.close();
  }, [thumbnails, isOn]);
  const names = pictures.map(({ file: { path, restorePoint } }) => `${restorePoint} ${path}`).join('\n');
  // The rows are new objects each time.
  // oxlint-disable-next-line react/exhaustive-deps
  const stable = useMemo(() => pictures, [names]);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => thumbnails.want(stable, folder), REST);
    return () => clearTimeout(timer);
  }, [thumbnails, stable, folder, isOn]);
  return thumbnails;
}
