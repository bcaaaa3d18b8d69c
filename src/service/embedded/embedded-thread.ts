import { workerData } from 'node:worker_threads';
import { byName, Moved, serveCalls, type CallContext } from '../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../base/calls/thread-port.ts';
import {
  loadFetch,
  serviceErrorCodec,
  type PackedBlobs,
  type PlainRequest,
  type PlainResponse,
  type ServiceCalls,
  type ThreadSetup,
} from './embedded-messages.ts';
import { unpackBlobs } from './blob-message.ts';
import { openEmbeddedService } from './embedded.ts';
import { releaseOwnMemory } from '../../base/release-memory.ts';

// The program of the thread in which the embedded service runs; `threaded-service.ts` calls it.

const port = parentThreadPort();
const { directory, create, bucket } = workerData as ThreadSetup;
const opening = openEmbeddedService(directory, { create, bucket });
loadFetch();
// Every call rejects with the same error.
opening.catch(() => undefined);

const handle = byName<ServiceCalls>({
  fetch: fetchPlain,
  putBlobs: async ({ sessionId, blobs }) => (await opening).putBlobs(sessionId, unpackBlobs(blobs)),
  getBlobs: async ({ restoreSessionId, hashes, room }) =>
    packed(await (await opening).getBlobs(restoreSessionId, hashes, room), room),
  registerDevice: async (device) => (await opening).registerDevice(device),
  listDevices: async () => (await opening).listDevices(),
  retention: async (request) => (await opening).retention(request),
  deviceToken: async (deviceId) => (await opening).deviceToken(deviceId),
  close: async () => (await opening).close(),
});
serveCalls(port, handle, {
  errors: serviceErrorCodec,
  onAnswered: (name) => {
    if (name === 'close') port.close();
  },
});

async function fetchPlain(
  { url, method, headers, body }: PlainRequest,
  { signal }: CallContext,
): Promise<Moved<PlainResponse>> {
  const request = new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    signal,
    ...(body ? { body, duplex: 'half' } : {}),
  });
  const response = await (await opening).fetch(request);
  const answered = response.body ?? undefined;
  const plain = { status: response.status, headers: [...response.headers], body: answered };
  return new Moved(plain, answered ? [answered] : []);
}

function packed(
  blobs: readonly (Uint8Array | undefined)[],
  room: Uint8Array<SharedArrayBuffer> | undefined,
): Moved<PackedBlobs> {
  const isInRoom = (blob: Uint8Array): boolean => blob.buffer === room?.buffer;
  const offsets = Int32Array.from(blobs, (blob) => (blob && isInRoom(blob) ? blob.byteOffset - room!.byteOffset : -1));
  const lengths = Uint32Array.from(blobs, (blob) => blob?.length ?? 0);
  const bytes = new Uint8Array(lengths.reduce((sum, length, index) => (offsets[index]! < 0 ? sum + length : sum), 0));
  let offset = 0;
  for (const blob of blobs) {
    if (!blob || isInRoom(blob)) continue;
    bytes.set(blob, offset);
    offset += blob.length;
    releaseOwnMemory(blob);
  }
  return new Moved({ offsets, lengths, bytes }, [offsets.buffer, lengths.buffer, bytes.buffer]);
}
