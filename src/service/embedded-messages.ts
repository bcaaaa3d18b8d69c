import type { BlobMessage } from './blob-message.ts';
import type { EmbeddedOptions } from './embedded.ts';
import type { HomeBucket } from './home-bucket.ts';
import { BucketError, type BucketProblem } from './objects/s3/bucket-error.ts';
import type { RetentionRequest } from '../protocol/retention.ts';
import { ServiceProblem, type ProblemFacts } from './problem.ts';
import { StoreError, type StoreErrorCode } from './store/store-error.ts';
import type { ProblemCode } from '../protocol/problem.ts';

/**
 * Has Node load what is behind `Request` and `Response`, which takes longer than a request: each thread does it while it
 * would wait for the other.
 */
export function loadFetch(): void {
  Reflect.get(globalThis, 'Request');
}

/** What the thread is started with. */
export interface ThreadSetup {
  readonly directory: string;
  readonly create: boolean;
  readonly bucket: HomeBucket | undefined;
}

/** Calls to the service in its thread; each has one answer of the same number. */
export type ThreadCall =
  | { readonly kind: 'fetch'; readonly request: PlainRequest }
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'put'; readonly sessionId: string; readonly blobs: BlobMessage }
  | {
      readonly kind: 'get';
      readonly restoreSessionId: string;
      readonly hashes: readonly string[];
      readonly room: Uint8Array<SharedArrayBuffer> | undefined;
    }
  | { readonly kind: 'register'; readonly device: { name: string; os: string; agent_version: string } }
  | { readonly kind: 'devices' }
  | { readonly kind: 'retention'; readonly request: RetentionRequest }
  | { readonly kind: 'token'; readonly deviceId: string }
  | { readonly kind: 'close' };

/** A Request as messages carry it; a body moves to the other thread. */
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

/** What does not lie in the room stands one after the other, so that one buffer moves. */
export interface PackedBlobs {
  /** In the room; -1 for a blob among `bytes`. */
  readonly offsets: Int32Array<ArrayBuffer>;
  /** 0 stands for a blob that is gone. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface ThreadRequest {
  readonly id: number;
  readonly call: ThreadCall;
}

export type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: PlainFailure };

/** A failure without what cannot be sent. */
export type PlainFailure =
  | { readonly kind: 'problem'; readonly code: ProblemCode; readonly facts: Omit<ProblemFacts, 'cause'> }
  | { readonly kind: 'store'; readonly code: StoreErrorCode; readonly directory: string }
  | { readonly kind: 'bucket'; readonly problem: BucketProblem; readonly message: string }
  | { readonly kind: 'other'; readonly name: string; readonly message: string; readonly stack: string | undefined };

export function plainFailure(error: unknown): PlainFailure {
  if (error instanceof ServiceProblem) {
    const { cause: _, ...facts } = error.facts;
    return { kind: 'problem', code: error.code, facts };
  }
  if (error instanceof StoreError) return { kind: 'store', code: error.code, directory: error.directory };
  if (error instanceof BucketError)
    return { kind: 'bucket', problem: error.problem, message: error.message.slice(error.problem.length + 2) };
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'other', name, message, stack };
}

export function failureOf(plain: PlainFailure): Error {
  switch (plain.kind) {
    case 'problem':
      return new ServiceProblem(plain.code, plain.facts);
    case 'store':
      return new StoreError(plain.code, plain.directory);
    case 'bucket':
      return new BucketError(plain.problem, plain.message);
    case 'other':
      return Object.assign(new Error(plain.message), { name: plain.name, stack: plain.stack });
  }
}

/** What `openEmbeddedService` takes, as far as a thread can be told. */
export type ThreadOptions = Pick<EmbeddedOptions, 'create' | 'bucket'>;
