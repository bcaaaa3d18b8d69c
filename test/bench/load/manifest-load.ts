import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { deviceToken, good, STATS } from './client.ts';
import type { LoadClient, LoadDevice } from './client.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, megabytes, printTable, seconds } from './table.ts';

const FILES_IN_FOLDER = 1_000;
/** Plaintext bytes of the single chunk of each file. */
const SIZE = 16;
const OVERHEAD = 28;
/** The maximum number of entries in a pack. */
const PACK = 1_024;
const CHANGED = 100;
/** The number of entries sent at once. */
const PIECE = 500;

/** Selects the files whose content differs from the first run. */
type Changed = (file: number) => boolean;
const NONE: Changed = () => false;

/** Measures init with this many files: first, unchanged and with a hundred changed; and the rest of a whole run. */
export async function measureManifests(
  service: ServiceProcess,
  client: LoadClient,
  device: LoadDevice,
  files: number,
): Promise<void> {
  const token = await deviceToken(client, device);
  const rows: string[][] = [];
  const measured = async <Result>(what: string, action: () => Promise<Result>): Promise<Result> => {
    service.used();
    const from = performance.now();
    const result = await action();
    const wall = (performance.now() - from) / 1000;
    const { cpu, peak } = service.used();
    rows.push([what, seconds(wall), seconds(cpu), megabytes(peak)]);
    return result;
  };
  const init = (changed: Changed) =>
    client.post('/functions/v1/backup/init', Readable.from(manifest(device.id, files, changed)), token);
  const complete = (id: unknown) =>
    client.post('/functions/v1/backup/complete', { session_id: id, stats: STATS }, token);

  const first = good('init', await measured('first init', () => init(NONE)));
  expectNeeded(first, files);
  await measured('upload of all blobs, in packs', () => uploadAll(client, token, String(first['session_id']), files));
  good('complete', await measured('complete', () => complete(first['session_id'])));
  const again = good('init', await measured('init, nothing changed', () => init(NONE)));
  expectNeeded(again, 0);
  good('complete', await measured('complete', () => complete(again['session_id'])));
  const hundredth = Math.max(1, Math.floor(files / CHANGED));
  const changed: Changed = (file) => file % hundredth === 0;
  const some = good('init', await measured(`init, ${CHANGED} changed`, () => init(changed)));
  expectNeeded(some, Math.ceil(files / hundredth));
  const request = { device_id: device.id, backup_set: 'load', path: '/', recursive: true };
  const body = { ...request, point_in_time: new Date().toISOString() };
  const restored = good(
    'restore',
    await measured('restore manifest of all', () => client.post('/functions/v1/restore/manifest', body, token)),
  );
  if (restored['total_files'] !== files)
    throw new Error(`the restore manifest has ${String(restored['total_files'])} files`);
  printTable(`${count(files)} files, one chunk each`, ['service', 'wall', 'CPU', 'peak memory'], rows);
}

function expectNeeded(init: Readonly<Record<string, unknown>>, expected: number): void {
  const needed = (init['chunks_needed'] as readonly unknown[]).length;
  if (needed !== expected) throw new Error(`init needs ${needed} chunks instead of ${expected}`);
}

function* manifest(deviceId: string, files: number, changed: Changed): Generator<string> {
  yield `{"device_id":${JSON.stringify(deviceId)},"backup_set":"load","files":[`;
  for (let from = 0; from < files; from += PIECE) {
    let piece = '';
    for (let file = from; file < Math.min(files, from + PIECE); file += 1) {
      piece += `${file === 0 ? '' : ','}${entry(file, changed(file))}`;
    }
    yield piece;
  }
  yield ']}';
}

function entry(file: number, changed: boolean): string {
  const hash = `sha256:${digest(changed ? -1 - file : file).toString('hex')}`;
  const path = `/home/anna/folder ${padded(Math.floor(file / FILES_IN_FOLDER))}/a file of some name ${padded(file)}.txt`;
  const modified = changed ? '2026-02-02T03:04:05.678Z' : '2026-01-02T03:04:05.678Z';
  return `{"path":"${path}","size":${SIZE},"modified":"${modified}","chunks":[{"hash":"${hash}","size":${SIZE}}]}`;
}

/** Pads numbers so that their order equals the order of paths. */
function padded(number: number): string {
  return String(number).padStart(8, '0');
}

function digest(content: number): Buffer {
  return createHash('sha256').update(String(content)).digest();
}

async function uploadAll(client: LoadClient, token: string, sessionId: string, files: number): Promise<void> {
  const address = good('pack', await client.post('/functions/v1/backup/pack', { session_id: sessionId }, token));
  const url = String(address['url']);
  const starts = Array.from({ length: Math.ceil(files / PACK) }, (_, index) => index * PACK);
  const work = async (): Promise<void> => {
    for (let from = starts.pop(); from !== undefined; from = starts.pop()) {
      good('a pack', await client.post(url, pack(from, Math.min(PACK, files - from))));
    }
  };
  await Promise.all([work(), work(), work(), work()]);
}

function pack(from: number, entries: number): Uint8Array {
  const blob = SIZE + OVERHEAD;
  const bytes = Buffer.alloc(4 + entries * (36 + blob));
  bytes.writeUInt32BE(entries);
  for (let index = 0; index < entries; index += 1) {
    digest(from + index).copy(bytes, 4 + index * 36);
    bytes.writeUInt32BE(blob, 4 + index * 36 + 32);
  }
  return bytes;
}
