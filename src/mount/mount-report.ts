/** What a mount reports when it has ended. */
export interface MountReport {
  readonly mountpoint: string;
  /** Reads that a program got an error for. */
  readonly errors: number;
}
