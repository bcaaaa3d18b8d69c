/** One line of crash-process.ts's stdout. `blob` is the hex SHA-256 of the blob's own bytes. */
export type CrashReport =
  | { readonly kind: 'ready'; readonly device: string; readonly token: string }
  | { readonly kind: 'put'; readonly hash: string; readonly blob: string }
  | {
      readonly kind: 'completed';
      readonly restorePoint: string;
      readonly files: readonly { readonly path: string; readonly hash: string; readonly blob: string }[];
    };
