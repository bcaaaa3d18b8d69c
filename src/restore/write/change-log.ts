import type { Metadata } from './metadata.ts';

/** Learns what a restore to the original places changes, each time before it does, so that it can be undone. */
export interface ChangeLog {
  /** What has a name is kept elsewhere. Both are names from the target folder down. */
  kept(original: readonly string[], place: readonly string[]): void;
  /** A folder is made that the backup does not have. */
  folder(names: readonly string[]): void;
  /**
   * The attributes of something that stays are set.
   *
   * @param before what they are until then
   * @param file identifies a file with several names
   */
  attributes(names: readonly string[], before: Metadata, after: Metadata, file?: string): void;
  /** What was made could not be given its time, by which it would be recognised. */
  withoutTime(names: readonly string[]): void;
}
