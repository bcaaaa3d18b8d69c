import type { ContentReader } from './content-reader.ts';
import type { MountedPoint } from './mounted-point.ts';

/** What a folder above the restore points contains. It may change while it is mounted. */
export interface MountedFolder {
  /** @throws what a destination throws */
  list(signal: AbortSignal): Promise<readonly MountedChild[]>;
}

export interface MountedChild {
  /** A valid file name, different from those of the others. */
  readonly name: string;
  /** Nanoseconds since the epoch. */
  readonly modifiedNs: bigint;
  readonly content: MountedContent;
}

/** `key` is the same for the same folder or restore point in every list. */
export type MountedContent =
  | { readonly kind: 'folder'; readonly key: string; readonly folder: MountedFolder }
  | { readonly kind: 'point'; readonly key: string; readonly point: ReadablePoint }
  | { readonly kind: 'link'; readonly target: string };

/** A restore point with the reader of its files. */
export interface ReadablePoint {
  readonly tree: MountedPoint;
  readonly reader: ContentReader;
}
