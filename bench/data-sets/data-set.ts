/** Files to back up, the same for the same scale. */
export interface DataSet {
  readonly name: string;
  /** What the part that is backed up takes on the disk. */
  needs(scale: number): Space;
  /** What else lies beside it. */
  needsBeside?(scale: number): Space;
  /** Builds it in an empty folder, the part that is backed up in `source`. Signals are seen meanwhile. */
  build(folder: string, scale: number): Promise<void>;
}

export interface Space {
  readonly files: number;
  readonly bytes: number;
}

/** The folder that is backed up. Its name is that of the data, since restores repeat it. */
export const SOURCE = 'source';
