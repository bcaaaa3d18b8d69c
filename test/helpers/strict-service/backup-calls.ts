import type { Answer, Call } from './call.ts';
import { expectFields } from './expectations.ts';
import { freshId, timeOf } from './service-state.ts';
import type { BackupSession, ManifestFile, ServiceState } from './service-state.ts';

/** A 12-byte IV before and a 16-byte tag after each chunk. */
const OVERHEAD = 28;

export function init(state: ServiceState, call: Call): Answer {
  const note = (what: string): void => void state.departures.push(`${call.endpoint}: ${what}`);
  const fields = { device_id: 'text', backup_set: 'text', files: 'array' } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { device_id: deviceId, backup_set: set, files } = call.body;
  if (!state.devices.has(deviceId)) {
    note(`device ${deviceId} is unknown`);
    return { status: 404 };
  }
  const manifest = files as readonly ManifestFile[];
  const sizes = checkManifest(state, call.endpoint, manifest);
  if (!sizes) return { status: 422 };
  const needed = new Map([...sizes].filter(([hash]) => !state.blobs.has(hash)));
  const sessionId = freshId('backup-session');
  const acknowledged = new Set<string>();
  state.backups.set(sessionId, {
    deviceId,
    set,
    files: manifest,
    needed,
    acknowledged,
    progress: { chunks: 0, bytes: 0 },
    completed: undefined,
  });
  return {
    status: 200,
    body: {
      session_id: sessionId,
      chunks_needed: [...needed].map(([hash, size]) => ({ hash, size })),
      chunks_deduped: sizes.size - needed.size,
      chunks_to_upload: needed.size,
    },
  };
}

/** The plaintext size of every chunk; `undefined` for an unusable manifest. */
function checkManifest(
  state: ServiceState,
  endpoint: string,
  files: readonly ManifestFile[],
): Map<string, number> | undefined {
  const sizes = new Map<string, number>();
  const paths = new Set<string>();
  let good = true;
  const bad = (what: string): void => {
    state.departures.push(`${endpoint}: ${what}`);
    good = false;
  };
  for (const file of files) {
    const where = `${endpoint}: file ${String((file as { path?: unknown } | null)?.path)}`;
    const fields = { path: 'text', size: 'count', modified: 'timestamp', chunks: 'array' } as const;
    if (!expectFields(state.departures, where, file, fields)) return undefined;
    if (paths.has(file.path)) bad(`${file.path} stands twice`);
    paths.add(file.path);
    let sum = 0;
    for (const chunk of file.chunks) {
      if (!expectFields(state.departures, `${where}: chunk`, chunk, { hash: 'hash', size: 'count' })) return undefined;
      if ((sizes.get(chunk.hash) ?? chunk.size) !== chunk.size) bad(`chunk ${chunk.hash} has two sizes`);
      sizes.set(chunk.hash, chunk.size);
      sum += chunk.size;
    }
    if (sum !== file.size) bad(`${file.path} has ${file.size} bytes, its chunks have ${sum}`);
  }
  return good ? sizes : undefined;
}

/** The session of a call, if it is still open. */
function runningSession(state: ServiceState, call: Call): BackupSession | undefined {
  const session = state.backups.get((call.body as Record<string, string>)['session_id']!);
  if (!session) state.departures.push(`${call.endpoint}: no such session`);
  else if (session.completed) state.departures.push(`${call.endpoint}: the session is complete`);
  else return session;
  return undefined;
}

export function presign(state: ServiceState, call: Call): Answer {
  const fields = { session_id: 'text', chunk_hash: 'hash', chunk_size: 'count' } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const session = runningSession(state, call);
  if (!session) return { status: 404 };
  const { chunk_hash: hash, chunk_size: size } = call.body;
  const plaintext = session.needed.get(hash);
  if (plaintext === undefined) {
    state.departures.push(`${call.endpoint}: chunk ${hash} is not needed`);
    return { status: 422 };
  }
  if (session.acknowledged.has(hash) && !state.wireMayBreak) {
    state.departures.push(`${call.endpoint}: chunk ${hash} has been uploaded already`);
  }
  const isCompressed = state.announced.includes('backup.compression') && size > OVERHEAD && size < plaintext + OVERHEAD;
  if (size !== plaintext + OVERHEAD && !isCompressed) {
    state.departures.push(`${call.endpoint}: chunk_size ${String(size)} of a chunk with ${plaintext} bytes`);
    return { status: 422 };
  }
  const key = freshId('upload');
  const seconds = call.fault?.kind === 'short-lived-address' ? call.fault.seconds : state.urlSeconds;
  const lifetime = call.fault?.kind === 'expired-address' ? -1 : seconds * 1000;
  state.uploadAddresses.set(key, { hash, size, expiresAt: timeOf(state) + lifetime, used: false });
  return {
    status: 200,
    body: {
      upload_url: `${state.storageUrl}/put/${key}?X-Signature=secret`,
      expires_in: seconds,
      method: 'PUT',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(size) },
    },
  };
}

export function progress(state: ServiceState, call: Call): Answer {
  const fields = {
    session_id: 'text',
    chunks_uploaded: 'count',
    chunks_total: 'count',
    bytes_uploaded: 'count',
  } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const session = runningSession(state, call);
  if (!session) return { status: 404 };
  const { chunks_uploaded: chunks, chunks_total: total, bytes_uploaded: bytes } = call.body;
  const bounds = [
    [total === session.needed.size, `chunks_total ${total} of ${session.needed.size}`],
    [chunks <= total, `chunks_uploaded ${chunks} of ${total}`],
    [chunks >= session.progress.chunks, `chunks_uploaded went back to ${chunks}`],
    [bytes >= session.progress.bytes, `bytes_uploaded went back to ${bytes}`],
  ] as const;
  for (const [holds, what] of bounds) if (!holds) state.departures.push(`${call.endpoint}: ${what}`);
  session.progress = { chunks, bytes };
  return { status: 204 };
}

export function complete(state: ServiceState, call: Call): Answer {
  const fields = { session_id: 'text', stats: 'object' } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { session_id: id, stats } = call.body;
  const again = state.backups.get(id)?.completed;
  if (again && (!again.delivered || state.wireMayBreak)) return { status: 200, body: again.answer };
  const session = runningSession(state, call);
  if (!session) return { status: 409 };
  const counts = [
    'files_processed',
    'chunks_new',
    'chunks_deduped',
    'bytes_scanned',
    'bytes_uploaded',
    'duration_seconds',
  ];
  const statsFields = Object.fromEntries(counts.map((name) => [name, 'count' as const]));
  expectFields(state.departures, `${call.endpoint}: stats`, stats, statsFields);
  const missing = [...session.needed.keys()].filter((hash) => !state.blobs.has(hash));
  if (missing.length > 0) {
    state.departures.push(`${call.endpoint}: ${missing.length} chunks are missing`);
    return { status: 409 };
  }
  const time = Math.max(timeOf(state), (state.runs.at(-1)?.time ?? 0) + 1);
  const run = { id: freshId('backup'), deviceId: session.deviceId, set: session.set, time, files: session.files };
  state.runs.push(run);
  state.devices.get(session.deviceId)!.lastBackup = new Date(time).toISOString();
  const answer = {
    backup_id: run.id,
    status: 'completed',
    restore_point: new Date(time).toISOString(),
    storage_used_bytes: [...state.blobs.values()].reduce((sum, blob) => sum + blob.length, 0),
    dedup_savings_percent: 12.5,
  };
  session.completed = { answer, delivered: call.fault?.kind !== 'reset-after' };
  return { status: 200, body: answer };
}
