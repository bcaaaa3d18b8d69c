/** Files to back up; deterministic for a given scale. */
export interface DataSet {
  readonly name: string;
  /** Disk space of the part that is backed up. */
  needs(scale: number): Space;
  /** Disk space of other files beside it. */
  needsBeside?(scale: number): Space;
  /** Builds it in an empty folder, with the part to back up in `source`. Handles signals meanwhile. */
  build(folder: string, scale: number): Promise<void>;
}

export interface Space {
  readonly files: number;
  readonly bytes: number;
}

/** The folder to back up. It is named after the data set, since restores repeat its name. */
export const SOURCE = 'source';
