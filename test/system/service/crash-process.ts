/**
 * Backs up repeatedly into the given store, and prints acknowledgements to stdout. The parent kills it in the
 * middle.
 *
 * node crash-process.ts DIRECTORY SEED
 */
import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { InProcessService } from '../../helpers/service/in-process-service.ts';
import type { CrashReport } from './crash-report.ts';

const [directory, seed] = process.argv.slice(2);
const service = await InProcessService.open(directory!, { create: true });
const device =
  (await service.devices()).at(0)?.id ??
  (await service.registerDevice({ name: 'n', os: 'linux', agent_version: '1' })).deviceId;
const token = await service.deviceToken(device);

/** Small sizes, sizes around the limit of small blobs, and large ones. */
const SIZES = [32, 500, 9_000, 131_044, 131_045, 700_000];

report({ kind: 'ready', device, token });
for (let round = 0; ; round += 1) await backUp(round);

async function backUp(round: number): Promise<void> {
  const files = SIZES.flatMap((size, index) =>
    [0, 1, 2].map((copy) => newFile(`${seed}-${round}`, size, index * 3 + copy)),
  );
  const manifest = files.map(({ path, chunk }) => ({
    path,
    size: chunk.size,
    modified: '2026-01-01T00:00:00.000Z',
    chunks: [{ hash: chunk.hash, size: chunk.size }],
  }));
  const blobs = files.map(({ chunk }) => ({ hash: chunk.hash, bytes: chunk.blob, size: chunk.size }));
  const opening = { device_id: device, backup_set: 'docs' };
  // Every other round uploads some blobs, and one that no manifest will name, before its manifest.
  const early =
    round % 2 === 1 ? { session_id: String((await post('/functions/v1/backup/open', opening))['session_id']) } : {};
  if (early.session_id !== undefined) {
    const { chunk } = newFile('', 5_000, 0);
    await Promise.all([
      putPack(early.session_id, [...blobs.slice(0, 5), { hash: chunk.hash, bytes: chunk.blob, size: chunk.size }]),
      ...blobs.slice(5, 8).map((blob) => putAlone(early.session_id, blob)),
    ]);
  }
  const init = await post('/functions/v1/backup/init', { ...opening, ...early, files: manifest });
  const session = String(init['session_id']);
  const half = blobs.length / 2;
  await Promise.all([
    putPack(session, blobs.slice(0, half)),
    ...blobs.slice(half).map((blob) => putAlone(session, blob)),
  ]);
  const stats = {
    files_processed: files.length,
    chunks_new: 0,
    chunks_deduped: 0,
    bytes_scanned: 0,
    bytes_uploaded: 0,
    duration_seconds: 0,
  };
  const run = await post('/functions/v1/backup/complete', { session_id: session, stats });
  report({
    kind: 'completed',
    restorePoint: String(run['restore_point']),
    files: files.map(({ path, chunk }) => ({ path, hash: chunk.hash, blob: digestOf(chunk.blob) })),
  });
}

function newFile(round: string, size: number, index: number) {
  const plain = randomBytes(size);
  const hash = `sha256:${digestOf(plain)}`;
  return { path: `/${round}/${index}`, chunk: { hash, size, blob: randomBytes(size + 28) } };
}

interface Blob {
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly size: number;
}

async function putPack(session: string, blobs: readonly Blob[]): Promise<void> {
  const { status, body } = await service.putPack(token, session, blobs);
  if (status !== 200) throw new Error(`a pack was answered with ${status}: ${JSON.stringify(body)}`);
  report({ kind: 'put', blobs: blobs.map(({ hash, bytes }) => ({ hash, blob: digestOf(bytes) })) });
}

async function putAlone(session: string, { hash, bytes }: Blob): Promise<void> {
  const request = { session_id: session, chunk_hash: hash, chunk_size: bytes.length };
  const presign = await post('/functions/v1/backup/presign', request);
  const put = new Request(String(presign['upload_url']), { method: 'PUT', body: new Uint8Array(bytes) });
  const { status } = await service.fetch(put);
  if (status !== 200) throw new Error(`PUT answered ${status}`);
  report({ kind: 'put', blobs: [{ hash, blob: digestOf(bytes) }] });
}

async function post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await service.post(path, token, body);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Written synchronously, so that everything that the parent reads was acknowledged before the kill. */
function report(line: CrashReport): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
