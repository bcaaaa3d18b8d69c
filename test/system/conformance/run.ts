import { randomBytes } from 'node:crypto';
import { Departure } from './clause.ts';
import { good } from './exchange.ts';
import type { Answer } from './exchange.ts';
import { fieldsOf } from './fields.ts';
import { chunksOf, entryOf, OVERHEAD, sampleChunk, sampleFile, sizeOf } from './sample.ts';
import type { SampleChunk, SampleFile } from './sample.ts';
import type { Subject } from './subject.ts';

/** A unique set name, so that runs never share restore points. */
export function newSetName(): string {
  return `conformance ${randomBytes(6).toString('hex')}`;
}

export async function init(subject: Subject, set: string, files: readonly SampleFile[]): Promise<Answer> {
  const body = { device_id: await subject.deviceId(), backup_set: set, files: files.map(entryOf) };
  return subject.post('/functions/v1/backup/init', body, await subject.token());
}

export interface Begun {
  readonly sessionId: string;
  readonly needed: readonly string[];
  readonly answer: Answer;
}

export async function begin(subject: Subject, set: string, files: readonly SampleFile[]): Promise<Begun> {
  const answer = good('init', await init(subject, set, files));
  const { session_id: sessionId, chunks_needed: needed } = fieldsOf('init', answer.json, {
    session_id: 'text',
    chunks_needed: 'array',
  });
  return { sessionId, needed: needed.map((chunk) => fieldsOf('a needed chunk', chunk, { hash: 'hash' }).hash), answer };
}

export async function presign(
  subject: Subject,
  sessionId: string,
  { hash, size }: Pick<SampleChunk, 'hash' | 'size'>,
): Promise<Answer> {
  const body = { session_id: sessionId, chunk_hash: hash, chunk_size: size + OVERHEAD };
  return subject.post('/functions/v1/backup/presign', body, await subject.token());
}

export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function uploadAddress(subject: Subject, sessionId: string, chunk: SampleChunk): Promise<UploadAddress> {
  const answer = good('presign', await presign(subject, sessionId, chunk));
  const { upload_url: url, headers } = fieldsOf('presign', answer.json, { upload_url: 'address', headers: 'object' });
  return { url, headers: headers as Record<string, string> };
}

/** Sends presign's headers; fetch sets `Content-Length` from the body. */
export function put(subject: Subject, { url, headers }: UploadAddress, body: Buffer<ArrayBuffer>): Promise<Answer> {
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
  return subject.send({ method: 'PUT', url, headers: Object.fromEntries(own), body });
}

/** Presigns and uploads one chunk. */
export async function upload(subject: Subject, sessionId: string, chunk: SampleChunk): Promise<void> {
  const answer = await put(subject, await uploadAddress(subject, sessionId, chunk), chunk.blob);
  if (answer.status !== 200 && answer.status !== 412) throw new Departure(`the PUT answered ${answer.status}`);
}

export async function complete(subject: Subject, sessionId: string, files: readonly SampleFile[]): Promise<Answer> {
  const chunks = [...chunksOf(files).values()];
  const stats = {
    files_processed: files.length,
    chunks_new: chunks.length,
    chunks_deduped: 0,
    bytes_scanned: sizeOf(files.flatMap((file) => file.chunks)),
    bytes_uploaded: chunks.reduce((sum, { blob }) => sum + blob.length, 0),
    duration_seconds: 1,
  };
  return subject.post('/functions/v1/backup/complete', { session_id: sessionId, stats }, await subject.token());
}

/** A successful run. */
export interface Run {
  readonly set: string;
  readonly files: readonly SampleFile[];
  readonly begun: Begun;
  readonly completed: Answer;
  /** The restore point as returned by the service. */
  readonly restorePoint: string;
}

/** Makes a backup: init, presign and PUT for each needed chunk, complete. */
export async function backUp(subject: Subject, set: string, files: readonly SampleFile[]): Promise<Run> {
  const begun = await begin(subject, set, files);
  const chunks = chunksOf(files);
  for (const hash of begun.needed) {
    const chunk = chunks.get(hash);
    if (!chunk) throw new Departure(`init asks for ${hash}, which is not in the manifest`);
    await upload(subject, begun.sessionId, chunk);
  }
  const completed = good('complete', await complete(subject, begun.sessionId, files));
  const { restore_point: restorePoint } = fieldsOf('complete', completed.json, { restore_point: 'timestamp' });
  return { set, files, begun, completed, restorePoint };
}

export interface Story {
  readonly first: Run;
  readonly second: Run;
  /** A time between the two restore points. */
  readonly between: string;
}

/** Makes two runs of one set, between which files are changed, deleted and added. */
export function story(subject: Subject): Promise<Story> {
  return subject.once('story', async () => {
    const set = newSetName();
    const before = firstFiles();
    const first = await backUp(subject, set, before);
    await subject.pass(2);
    const second = await backUp(subject, set, secondFiles(before));
    const middle = (Date.parse(first.restorePoint) + Date.parse(second.restorePoint)) / 2;
    return { first, second, between: new Date(middle).toISOString() };
  });
}

function firstFiles(): readonly SampleFile[] {
  const [a, b, c] = [sampleChunk(1), sampleChunk(700), sampleChunk(40_000)];
  const [d, e] = [sampleChunk(150_000), sampleChunk(12)];
  return [
    sampleFile('/home/anna/b/deep/er/twice.bin', [d, d, a, d], '2026-01-02T03:04:05.678Z'),
    sampleFile('/home/anna/b/gone.txt', [b], '2025-12-31T23:59:59.000Z'),
    sampleFile('/home/anna/bc', [c], '2026-02-28T12:00:00.000Z'),
    sampleFile('/home/anna/empty', [], '1999-05-05T05:05:05.000Z'),
    sampleFile('/home/anna/letter.txt', [a, b], '2026-01-01T00:00:00.000Z'),
    // A name in two Unicode normal forms denotes two files.
    sampleFile('/home/anna/na\u00efve "quotes" \\ \u540d\u524d \u{1f4be}', [e], '2026-01-03T00:00:00.000Z'),
    sampleFile('/home/anna/nai\u0308ve "quotes" \\ \u540d\u524d \u{1f4be}', [e, a], '2026-01-04T00:00:00.000Z'),
  ];
}

function secondFiles(before: readonly SampleFile[]): readonly SampleFile[] {
  const changed = sampleChunk(900);
  return before
    .filter(({ path }) => !path.endsWith('/gone.txt'))
    .map((file) =>
      file.path.endsWith('/letter.txt')
        ? sampleFile(file.path, [file.chunks[0]!, changed], '2026-03-01T00:00:00.000Z')
        : file,
    )
    .concat([sampleFile('/home/anna/new/here.txt', [changed, sampleChunk(33)], '2026-03-02T00:00:00.000Z')]);
}

export async function manifest(
  subject: Subject,
  set: string,
  at: string,
  { path = '/', recursive = true }: { readonly path?: string; readonly recursive?: boolean } = {},
): Promise<Answer> {
  const body = { device_id: await subject.deviceId(), backup_set: set, point_in_time: at, path, recursive };
  return subject.post('/functions/v1/restore/manifest', body, await subject.token());
}

export interface RestoredFile {
  readonly path: string;
  readonly size: number;
  readonly modified: string;
  readonly chunks: readonly string[];
}

export interface Manifest {
  readonly sessionId: string;
  readonly pointInTime: string;
  readonly files: readonly RestoredFile[];
  readonly totals: { readonly files: number; readonly chunks: number; readonly unique: number; readonly bytes: number };
}

/** @throws Departure if anything in it differs from the interface */
export function readManifest(answer: Answer): Manifest {
  const fields = {
    restore_session_id: 'text',
    point_in_time: 'timestamp',
    files: 'array',
    total_files: 'count',
    total_chunks: 'count',
    unique_chunks: 'count',
    total_bytes: 'count',
  } as const;
  const what = 'the restore manifest';
  const head = fieldsOf(what, good(what, answer).json, fields);
  const entry = { path: 'text', size: 'count', modified: 'timestamp', chunks: 'hashes' } as const;
  return {
    sessionId: head.restore_session_id,
    pointInTime: head.point_in_time,
    files: head.files.map((file) => fieldsOf('a file of the restore manifest', file, entry)),
    totals: {
      files: head.total_files,
      chunks: head.total_chunks,
      unique: head.unique_chunks,
      bytes: head.total_bytes,
    },
  };
}

export async function tree(
  subject: Subject,
  set: string,
  at: string,
  selection: { readonly path?: string; readonly recursive?: boolean } = {},
): Promise<Manifest> {
  return readManifest(await manifest(subject, set, at, selection));
}

/** A time after every restore point. */
export function later(subject: Subject): string {
  return new Date(subject.now() + 60_000).toISOString();
}

export interface Download {
  readonly hash: string;
  readonly url: string;
  readonly size: number;
}

export async function presignDownloads(
  subject: Subject,
  sessionId: string,
  hashes: readonly string[],
): Promise<readonly Download[]> {
  const body = { restore_session_id: sessionId, chunk_hashes: hashes };
  const answer = await subject.post('/functions/v1/restore/presign', body, await subject.token());
  const { downloads } = fieldsOf('restore presign', good('restore presign', answer).json, { downloads: 'array' });
  const fields = { hash: 'hash', url: 'address', size: 'count', expires_in: 'count' } as const;
  return downloads.map((download) => fieldsOf('a download', download, fields));
}

/** Downloads the blob of a chunk in the newest restore point of a set. */
export async function fetchBlob(subject: Subject, set: string, hash: string): Promise<Buffer> {
  const { sessionId } = await tree(subject, set, later(subject));
  const download = (await presignDownloads(subject, sessionId, [hash])).find((one) => one.hash === hash);
  if (!download) throw new Departure(`there is no download for ${hash}`);
  return good('the download', await subject.send({ method: 'GET', url: download.url })).bytes;
}
