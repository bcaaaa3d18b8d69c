import type { PlannedEntry } from './planned-entry.ts';

/** Something that a restore to the original places is going to make. */
export interface PlannedChange extends Pick<
  PlannedEntry,
  'type' | 'size' | 'mode' | 'seconds' | 'nanoseconds' | 'target'
> {
  /** Path below the target folder. */
  readonly location: string;
  /** True if something is there, which it replaces. */
  readonly exists: boolean;
}
