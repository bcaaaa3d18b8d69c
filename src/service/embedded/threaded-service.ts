import type { RetentionAnswer, RetentionRequest } from '../../protocol/retention.ts';
import { Worker, type Transferable } from 'node:worker_threads';
import {
  failureOf,
  loadFetch,
  type PackedBlobs,
  type PlainResponse,
  type ThreadAnswer,
  type ThreadCall,
  type ThreadOptions,
  type ThreadSetup,
} from './embedded-messages.ts';
import { packBlobs } from './blob-message.ts';
import type { NewBlobs } from '../backup/put-blobs.ts';
import type { EmbeddedService } from './embedded.ts';

/** Manifests pass through as garbage; without a bound a hundred MB of it may lie. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The embedded service in a thread of its own, so that what it does to its database does not hold up the scan, nor the
 * scan it. Blobs in shared memory (SharedArrayBuffer) are not copied on their way.
 *
 * @throws StoreError where the directory cannot be used
 */
export async function openThreadedService(directory: string, options: ThreadOptions = {}): Promise<EmbeddedService> {
  const service = new ThreadedService({ directory, create: options.create ?? false, bucket: options.bucket });
  loadFetch();
  try {
    await service.listDevices();
    return service;
  } catch (error) {
    await service.end();
    throw error;
  }
}

class ThreadedService implements EmbeddedService {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #ended: Error | undefined;

  constructor(setup: ThreadSetup) {
    this.#worker = new Worker(new URL('./embedded-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: LIMITS,
    });
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer));
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`the thread of the service ended with code ${code}`)));
  }

  async fetch(request: Request): Promise<Response> {
    const body = request.body ?? undefined;
    const { signal } = request;
    signal.throwIfAborted();
    const id = this.#nextId;
    const abort = (): void => void this.#call({ kind: 'abort', call: id }).catch(() => undefined);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const plain = { url: request.url, method: request.method, headers: [...request.headers], body };
      const transfer = body ? [body] : [];
      const answer = (await this.#call({ kind: 'fetch', request: plain }, transfer)) as PlainResponse;
      const headers = answer.headers.map(([name, value]): [string, string] => [name, value]);
      return new Response(answer.body ?? null, { status: answer.status, headers });
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async putBlobs(sessionId: string, blobs: readonly { hash: string; bytes: Uint8Array }[]): Promise<NewBlobs> {
    return (await this.#call({ kind: 'put', sessionId, blobs: packBlobs(blobs) })) as NewBlobs;
  }

  async getBlobs(
    restoreSessionId: string,
    hashes: readonly string[],
    room?: Uint8Array<SharedArrayBuffer>,
  ): Promise<(Uint8Array | undefined)[]> {
    const call = { kind: 'get', restoreSessionId, hashes, room } as const;
    const { offsets, lengths, bytes } = (await this.#call(call)) as PackedBlobs;
    let used = 0;
    return Array.from(lengths, (length, index) => {
      if (length === 0) return undefined;
      const inRoom = offsets[index]!;
      if (inRoom >= 0) return room!.subarray(inRoom, inRoom + length);
      used += length;
      return bytes.subarray(used - length, used);
    });
  }

  async registerDevice(device: { name: string; os: string; agent_version: string }) {
    return (await this.#call({ kind: 'register', device })) as { deviceId: string; deviceKey: string };
  }

  async listDevices() {
    return (await this.#call({ kind: 'devices' })) as readonly { id: string; name: string }[];
  }

  async retention(request: RetentionRequest): Promise<RetentionAnswer> {
    return (await this.#call({ kind: 'retention', request })) as RetentionAnswer;
  }

  async deviceToken(deviceId: string): Promise<string> {
    return (await this.#call({ kind: 'token', deviceId })) as string;
  }

  async close(): Promise<void> {
    await this.#call({ kind: 'close' });
    await this.end();
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #call(call: ThreadCall, transfer: readonly Transferable[] = []): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, call }, [...transfer]);
    });
  }

  #take(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('failure' in answer) waiting?.reject(failureOf(answer.failure));
    else waiting?.resolve(answer.value);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
    this.#waiting.clear();
  }
}
