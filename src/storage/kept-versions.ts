/** Earlier versions of deleted files in a store that keeps them, such as a bucket with versions and without object lock. */
export interface KeptVersions {
  /** Returns whether what is deleted from now on stays. False where the store does not say. */
  areKept(signal?: AbortSignal): Promise<boolean>;
  /** Returns how many bytes of deleted files are still there. 0 where the store does not say. */
  bytes(signal?: AbortSignal): Promise<number>;
}
