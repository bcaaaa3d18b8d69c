import type { RetentionAnswer, RetentionRequest } from '../../protocol/retention.ts';
import { Worker } from 'node:worker_threads';
import { CallClient } from '../../base/calls/call-client.ts';
import { workerPort } from '../../base/calls/thread-port.ts';
import {
  loadFetch,
  serviceErrorCodec,
  type ServiceCalls,
  type ThreadOptions,
  type ThreadSetup,
} from './embedded-messages.ts';
import { packBlobs } from './blob-message.ts';
import type { NewBlobs, SealedBlob } from '../backup/put-blobs.ts';
import type { EmbeddedService } from './embedded.ts';

/** Manifests leave much garbage; without a limit it grows to a hundred MB. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

/**
 * Starts the embedded service in its own thread, so that its database work and the scan do not block
 * each other. Blobs in shared memory (SharedArrayBuffer) are not copied.
 *
 * @throws StoreError if the directory cannot be used
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
  readonly #client: CallClient<ServiceCalls>;

  constructor(setup: ThreadSetup) {
    this.#worker = new Worker(new URL('./embedded-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: LIMITS,
    });
    const port = workerPort(this.#worker, (code) => new Error(`the thread of the service ended with code ${code}`));
    this.#client = new CallClient(port, { errors: serviceErrorCodec });
  }

  async fetch(request: Request): Promise<Response> {
    const { url, method, signal } = request;
    const body = request.body ?? undefined;
    signal.throwIfAborted();
    const plain = { url, method, headers: [...request.headers], body };
    const answer = await this.#client.call('fetch', plain, { signal, transfer: body ? [body] : [] });
    const headers = answer.headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(answer.body ?? null, { status: answer.status, headers });
  }

  putBlobs(sessionId: string, blobs: readonly SealedBlob[]): Promise<NewBlobs> {
    return this.#client.call('putBlobs', { sessionId, blobs: packBlobs(blobs) });
  }

  async getBlobs(
    restoreSessionId: string,
    hashes: readonly string[],
    room?: Uint8Array<SharedArrayBuffer>,
  ): Promise<(Uint8Array | undefined)[]> {
    const { offsets, lengths, bytes } = await this.#client.call('getBlobs', { restoreSessionId, hashes, room });
    let used = 0;
    return Array.from(lengths, (length, index) => {
      if (length === 0) return undefined;
      const inRoom = offsets[index]!;
      if (inRoom >= 0) return room!.subarray(inRoom, inRoom + length);
      used += length;
      return bytes.subarray(used - length, used);
    });
  }

  registerDevice(device: { name: string; os: string; agent_version: string }) {
    return this.#client.call('registerDevice', device);
  }

  listDevices() {
    return this.#client.call('listDevices', undefined);
  }

  retention(request: RetentionRequest): Promise<RetentionAnswer> {
    return this.#client.call('retention', request);
  }

  deviceToken(deviceId: string): Promise<string> {
    return this.#client.call('deviceToken', deviceId);
  }

  async close(): Promise<void> {
    await this.#client.call('close', undefined);
    await this.end();
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
