/** Blobs that the storage has acknowledged. */
export interface UploadedBlobs {
  readonly chunks: number;
  readonly plaintextBytes: number;
  readonly blobBytes: number;
  /** The path of the file that the last of them is from; `undefined` for the tree. */
  readonly path: string | undefined;
}

export interface UploadObserver {
  onUploaded(uploaded: UploadedBlobs): void;
}
