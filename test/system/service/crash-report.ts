/** A blob whose upload was acknowledged. */
export interface PutBlob {
  readonly hash: string;
  /** SHA-256 of the blob's own bytes, in hex. */
  readonly blob: string;
}

/** One line of crash-process.ts's stdout. */
export type CrashReport =
  | { readonly kind: 'ready'; readonly device: string; readonly token: string }
  | { readonly kind: 'put'; readonly blobs: readonly PutBlob[] }
  | {
      readonly kind: 'completed';
      readonly restorePoint: string;
      readonly files: readonly (PutBlob & { readonly path: string })[];
    };
