/** Blobs that the storage has acknowledged. */
export interface UploadedBlobs {
  readonly chunks: number;
  readonly plaintextBytes: number;
  readonly blobBytes: number;
  /** The path of the last of them. */
  readonly path: string;
}

export interface UploadObserver {
  onUploaded(uploaded: UploadedBlobs): void;
}
