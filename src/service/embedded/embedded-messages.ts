import { errorCodec, type ErrorCodec } from '../../base/calls/sent-error.ts';
import type { NewBlobs } from '../backup/put-blobs.ts';
import type { BlobMessage } from './blob-message.ts';
import type { EmbeddedOptions } from './embedded.ts';
import type { HomeBucket } from './home-bucket.ts';
import { BucketError, type BucketProblem } from '../../s3/bucket-error.ts';
import type { RetentionAnswer, RetentionRequest } from '../../protocol/retention.ts';
import { ServiceProblem, type ProblemFacts } from '../request/problem.ts';
import { StoreError, type StoreErrorCode } from '../store/store-error.ts';
import type { ProblemCode } from '../../protocol/problem.ts';

/**
 * Loads Node's `Request` and `Response`, which takes longer than a request. Each thread does it while it would otherwise
 * wait for the other.
 */
export function loadFetch(): void {
  Reflect.get(globalThis, 'Request');
}

/** Start options of the thread. */
export interface ThreadSetup {
  readonly directory: string;
  readonly create: boolean;
  readonly bucket: HomeBucket | undefined;
}

/** The calls of the service in its thread. */
export interface ServiceCalls {
  fetch(request: PlainRequest): PlainResponse;
  putBlobs(input: { readonly sessionId: string; readonly blobs: BlobMessage }): NewBlobs;
  getBlobs(input: {
    readonly restoreSessionId: string;
    readonly hashes: readonly string[];
    readonly room: Uint8Array<SharedArrayBuffer> | undefined;
  }): PackedBlobs;
  registerDevice(device: { name: string; os: string; agent_version: string }): { deviceId: string; deviceKey: string };
  listDevices(input: undefined): readonly { id: string; name: string }[];
  retention(request: RetentionRequest): RetentionAnswer;
  deviceToken(deviceId: string): string;
  close(input: undefined): void;
}

/** A serialised Request; its body moves to the other thread. */
export interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array> | undefined;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array> | undefined;
}

/** Blobs outside of the shared memory are concatenated, so that one buffer is transferred. */
export interface PackedBlobs {
  /** Offset in the shared memory; -1 for a blob among `bytes`. */
  readonly offsets: Int32Array<ArrayBuffer>;
  /** 0 for a missing blob. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An error of the service as a message; others are encoded like those of every thread. */
type SentServiceError =
  | { readonly kind: 'problem'; readonly code: ProblemCode; readonly facts: Omit<ProblemFacts, 'cause'> }
  | { readonly kind: 'store'; readonly code: StoreErrorCode; readonly directory: string }
  | { readonly kind: 'bucket'; readonly problem: BucketProblem; readonly detail: string }
  | { readonly kind: 'any'; readonly error: unknown };

export const serviceErrorCodec: ErrorCodec = {
  encode: (error): SentServiceError => {
    if (error instanceof ServiceProblem) {
      const { cause: _, ...facts } = error.facts;
      return { kind: 'problem', code: error.code, facts };
    }
    if (error instanceof StoreError) return { kind: 'store', code: error.code, directory: error.directory };
    if (error instanceof BucketError) return { kind: 'bucket', problem: error.problem, detail: error.detail };
    return { kind: 'any', error: errorCodec.encode(error) };
  },
  decode: (sent) => {
    const error = sent as SentServiceError;
    switch (error.kind) {
      case 'problem':
        return new ServiceProblem(error.code, error.facts);
      case 'store':
        return new StoreError(error.code, error.directory);
      case 'bucket':
        return new BucketError(error.problem, error.detail);
      case 'any':
        return errorCodec.decode(error.error);
    }
  },
};

/** The serialisable options of `openEmbeddedService`. */
export type ThreadOptions = Pick<EmbeddedOptions, 'create' | 'bucket'>;
