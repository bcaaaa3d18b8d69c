import { parentPort, workerData, type Transferable } from 'node:worker_threads';
import {
  loadFetch,
  plainFailure,
  type PackedBlobs,
  type PlainRequest,
  type PlainResponse,
  type ThreadAnswer,
  type ThreadCall,
  type ThreadRequest,
  type ThreadSetup,
} from './embedded-messages.ts';
import { unpackBlobs } from './blob-message.ts';
import { openEmbeddedService, type EmbeddedService } from './embedded.ts';
import { releaseMemory } from '../objects/release-memory.ts';

/** The embedded service in a thread of its own; `threaded-service.ts` is the other end. */

if (!parentPort) throw new Error('embedded-thread.ts runs in a worker thread only');
const port = parentPort;
const { directory, create, bucket } = workerData as ThreadSetup;
const opening = openEmbeddedService(directory, { create, bucket });
loadFetch();
// Every call tells of it.
opening.catch(() => undefined);
const requests = new Map<number, AbortController>();

interface Result {
  readonly value: unknown;
  readonly transfer?: readonly Transferable[];
}

port.on('message', ({ id, call }: ThreadRequest) => {
  void answer(id, call);
});

async function answer(id: number, call: ThreadCall): Promise<void> {
  try {
    const { value, transfer = [] } = await perform(await opening, id, call);
    port.postMessage({ id, value } satisfies ThreadAnswer, [...transfer]);
    if (call.kind === 'close') port.close();
  } catch (error) {
    port.postMessage({ id, failure: plainFailure(error) } satisfies ThreadAnswer);
  }
}

async function perform(service: EmbeddedService, id: number, call: ThreadCall): Promise<Result> {
  switch (call.kind) {
    case 'fetch':
      return await handle(service, id, call.request);
    case 'abort':
      requests.get(call.call)?.abort();
      return { value: undefined };
    case 'put':
      return { value: await service.putBlobs(call.sessionId, unpackBlobs(call.blobs)) };
    case 'get':
      return packed(await service.getBlobs(call.restoreSessionId, call.hashes, call.room), call.room);
    case 'register':
      return { value: await service.registerDevice(call.device) };
    case 'devices':
      return { value: await service.listDevices() };
    case 'retention':
      return { value: await service.retention(call.request) };
    case 'token':
      return { value: await service.deviceToken(call.deviceId) };
    case 'close':
      return { value: await service.close() };
  }
}

async function handle(
  service: EmbeddedService,
  id: number,
  { url, method, headers, body }: PlainRequest,
): Promise<Result> {
  const controller = new AbortController();
  requests.set(id, controller);
  try {
    const request = new Request(url, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      signal: controller.signal,
      ...(body ? { body, duplex: 'half' } : {}),
    });
    const response = await service.fetch(request);
    const answered = response.body ?? undefined;
    const value: PlainResponse = { status: response.status, headers: [...response.headers], body: answered };
    return { value, transfer: answered ? [answered] : [] };
  } finally {
    requests.delete(id);
  }
}

function packed(blobs: readonly (Uint8Array | undefined)[], room: Uint8Array<SharedArrayBuffer> | undefined): Result {
  const isInRoom = (blob: Uint8Array): boolean => blob.buffer === room?.buffer;
  const offsets = Int32Array.from(blobs, (blob) => (blob && isInRoom(blob) ? blob.byteOffset - room!.byteOffset : -1));
  const lengths = Uint32Array.from(blobs, (blob) => blob?.length ?? 0);
  const bytes = new Uint8Array(lengths.reduce((sum, length, index) => (offsets[index]! < 0 ? sum + length : sum), 0));
  let offset = 0;
  for (const blob of blobs) {
    if (!blob || isInRoom(blob)) continue;
    bytes.set(blob, offset);
    offset += blob.length;
    releaseMemory(blob);
  }
  const value: PackedBlobs = { offsets, lengths, bytes };
  return { value, transfer: [offsets.buffer, lengths.buffer, bytes.buffer] };
}
