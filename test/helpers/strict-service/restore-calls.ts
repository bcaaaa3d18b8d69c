import type { Answer, Call } from './call.ts';
import { expectFields } from './expectations.ts';
import { freshId, timeOf } from './service-state.ts';
import type { ServiceState } from './service-state.ts';

export function manifest(state: ServiceState, call: Call): Answer {
  const fields = {
    device_id: 'text',
    backup_set: 'text',
    point_in_time: 'timestamp',
    path: 'string',
    recursive: 'boolean',
  } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { device_id: deviceId, backup_set: set, point_in_time: at, path, recursive } = call.body;
  const runs = state.runs.filter((run) => run.deviceId === deviceId && run.set === set && run.time <= Date.parse(at));
  const run = runs.at(-1);
  if (!run) return { status: 404, body: { error: 'nothing there' } };
  const files = run.files.filter((file) => isInside(file.path, path, recursive));
  const hashes = files.flatMap((file) => file.chunks.map(({ hash }) => hash));
  const id = freshId('restore-session');
  state.restores.set(id, { hashes: new Set(hashes) });
  return {
    status: 200,
    body: {
      restore_session_id: id,
      point_in_time: new Date(run.time).toISOString(),
      files: files.map((file) => ({ ...file, chunks: file.chunks.map(({ hash }) => hash) })),
      total_files: files.length,
      total_chunks: hashes.length,
      unique_chunks: new Set(hashes).size,
      total_bytes: files.reduce((sum, file) => sum + file.size, 0),
    },
  };
}

function isInside(path: string, prefix: string, recursive: boolean): boolean {
  const segments = (text: string): string[] => text.split('/').filter((segment) => segment !== '');
  const [inner, outer] = [segments(path), segments(prefix)];
  if (!outer.every((segment, index) => inner[index] === segment)) return false;
  return recursive || inner.length <= outer.length + 1;
}

export function presign(state: ServiceState, call: Call): Answer {
  const fields = { restore_session_id: 'text', chunk_hashes: 'hashes' } as const;
  if (!expectFields(state.departures, call.endpoint, call.body, fields)) return { status: 400 };
  const { restore_session_id: id, chunk_hashes: hashes } = call.body;
  const note = (what: string): void => void state.departures.push(`${call.endpoint}: ${what}`);
  const session = state.restores.get(id);
  if (!session) {
    note('no such session');
    return { status: 404 };
  }
  if (hashes.length > 100) note(`${hashes.length} hashes in one call`);
  if (hashes.length === 0) note('no hashes');
  if (new Set(hashes).size !== hashes.length) note('a hash stands twice');
  for (const hash of hashes) if (!session.hashes.has(hash)) note(`chunk ${hash} is not in the manifest`);
  const known = hashes.filter((hash) => state.blobs.has(hash));
  // In a different order than requested, since the interface promises none.
  return { status: 200, body: { downloads: known.reverse().map((hash) => address(state, call, hash)) } };
}

function address(state: ServiceState, call: Call, hash: string) {
  const key = freshId('download');
  const seconds = call.fault?.kind === 'short-lived-address' ? call.fault.seconds : state.urlSeconds;
  const lifetime = call.fault?.kind === 'expired-address' ? -1 : seconds * 1000;
  state.downloadAddresses.set(key, { hash, expiresAt: timeOf(state) + lifetime });
  const url = `${state.storageUrl}/get/${key}?X-Signature=secret`;
  return { hash, url, size: state.blobs.get(hash)!.length, expires_in: seconds };
}
