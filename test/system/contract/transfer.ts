import { isHoldfastError } from '../../../src/base/errors/errors.ts';
import { expect, test } from 'vitest';
import type { BackupFileEntry } from '../../../src/protocol/backup.ts';
import type { RestoreFileEntry } from '../../../src/protocol/restore.ts';
import type { SignedInConnection } from '../../../src/remote/connection.ts';
import {
  backUp,
  beginBackup,
  downloadAll,
  restoreAll,
  SAMPLE_STATS,
  sampleFile,
} from '../../unit/remote/connections.ts';

/** A service that the agent is signed in to. */
export interface TransferSubject {
  readonly connection: SignedInConnection;
  readonly deviceId: string;
  /** Violations that the service has found. */
  complaints(): readonly string[];
}

const small = sampleFile('/home/anna/docs/small.txt', [1, 20, 300]);
const large = sampleFile('/home/anna/large.bin', [700_000, 1_000_000, 4 * 1024 * 1024]);
const empty = sampleFile('/home/anna/docs/empty', []);
const odd = sampleFile('/home/anna/docs2/line\nbreak "ü" \\', [77]);
const sample = {
  files: [empty.file, small.file, odd.file, large.file],
  blobs: [...small.blobs, ...odd.blobs, ...large.blobs],
};
const expected = new Map(sample.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)]));

/** The behaviour that the engine relies on, for any service behind its ports. */
export function transferContract(open: () => Promise<TransferSubject>): void {
  test('restores what was backed up', async () => {
    const { connection, deviceId, complaints } = await open();
    await backUp(connection, deviceId, sample);
    expect(asBuffers(await restoreAll(connection, deviceId))).toEqual(expected);
    expect((await connection.service.devices()).map(({ id }) => id)).toContain(deviceId);
    expect(complaints()).toEqual([]);
  });

  test('needs only chunks that are not stored', async () => {
    const { connection, deviceId, complaints } = await open();
    await backUp(connection, deviceId, sample);
    const added = sampleFile('/home/anna/new', [5]);
    const { needed } = await beginBackup(connection, deviceId, [...sample.files, added.file]);
    expect(needed).toEqual(added.blobs.map(({ hash }) => hash));
    expect(complaints()).toEqual([]);
  });

  test('accepts a stored blob again', async () => {
    const { connection, deviceId } = await open();
    const { sessionId } = await beginBackup(connection, deviceId, [small.file]);
    await connection.uploader.upload(sessionId, small.blobs);
    await connection.uploader.upload(sessionId, small.blobs);
    await connection.service.backupComplete(sessionId, SAMPLE_STATS);
    expect((await restoreAll(connection, deviceId)).size).toBe(3);
  });

  test('refuses to complete a backup while chunks are missing', async () => {
    const { connection, deviceId } = await open();
    const { sessionId } = await beginBackup(connection, deviceId, [small.file]);
    await connection.uploader.upload(sessionId, small.blobs.slice(1));
    await expect(connection.service.backupComplete(sessionId, SAMPLE_STATS)).rejects.toMatchObject({
      code: 'chunk_missing',
      retryable: true,
    });
  });

  test('accepts progress', async () => {
    const { connection, deviceId, complaints } = await open();
    const { sessionId } = await beginBackup(connection, deviceId, [small.file]);
    const report = { session_id: sessionId, chunks_uploaded: 1, chunks_total: 3, bytes_uploaded: 29 };
    await connection.service.backupProgress(report);
    expect(complaints()).toEqual([]);
  });

  test('downloads hundreds of chunks of one file', async () => {
    const { connection, deviceId, complaints } = await open();
    const many = sampleFile(
      '/many',
      Array.from({ length: 250 }, (_, index) => index + 1),
    );
    await backUp(connection, deviceId, { files: [many.file], blobs: many.blobs });
    const arrived = await restoreAll(connection, deviceId);
    expect(asBuffers(arrived)).toEqual(new Map(many.blobs.map(({ hash, bytes }) => [hash, Buffer.from(bytes)])));
    expect(complaints()).toEqual([]);
  });

  test.each([
    ['', true, ['/home/anna/docs/empty', small.file.path, odd.file.path, large.file.path]],
    ['/home/anna/docs', true, ['/home/anna/docs/empty', small.file.path]],
    ['/home/anna', false, [large.file.path]],
    ['/nowhere', true, []],
  ] as const)('returns the manifest of %o, recursive: %s', async (path, recursive, paths) => {
    const { connection, deviceId, complaints } = await open();
    await backUp(connection, deviceId, sample);
    const { files } = await manifest(connection, deviceId, { path, recursive });
    expect(files.map((file) => file.path).toSorted()).toEqual([...paths].toSorted());
    for (const file of files)
      expect(file).toMatchObject(asRestored(sample.files.find((one) => one.path === file.path)!));
    expect(complaints()).toEqual([]);
  });

  test('returns the tree as of a time', async () => {
    const { connection, deviceId, complaints } = await open();
    const first = await backUp(connection, deviceId, { files: [small.file], blobs: small.blobs });
    await backUp(connection, deviceId, { files: [odd.file], blobs: odd.blobs });
    const then = await manifest(connection, deviceId, { at: first.restore_point });
    expect(then.files.map(({ path }) => path)).toEqual([small.file.path]);
    const now = await manifest(connection, deviceId, {});
    expect(now.files.map(({ path }) => path)).toEqual([odd.file.path]);
    expect(complaints()).toEqual([]);
  });

  test('has no restore point before the first backup', async () => {
    const { connection, deviceId } = await open();
    await expect(manifest(connection, deviceId, {})).rejects.toMatchObject({ code: 'no_restore_point' });
  });

  test('refuses unknown sessions', async () => {
    const { connection } = await open();
    await expect(connection.uploader.upload('no-session', small.blobs)).rejects.toMatchObject({
      code: 'service_error',
    });
    const hashes = small.blobs.map(({ hash }) => hash);
    // Without packs each chunk is asked for by itself: the service may lack it, or not know the session.
    const outcome: unknown = await downloadAll(connection, 'no-session', hashes).catch((error: unknown) => error);
    if (isHoldfastError(outcome, 'service_error')) return;
    expect(outcome).toEqual(new Map(hashes.map((hash) => [hash, undefined])));
  });
}

async function manifest(
  connection: SignedInConnection,
  deviceId: string,
  { path = '', recursive = true, at }: { path?: string; recursive?: boolean; at?: string },
): Promise<{ files: readonly RestoreFileEntry[] }> {
  const files: RestoreFileEntry[] = [];
  await connection.service.restoreManifest(
    {
      device_id: deviceId,
      backup_set: 'documents',
      point_in_time: at ?? new Date(connection.service.now() + 60_000).toISOString(),
      path,
      recursive,
    },
    (batch) => void files.push(...batch),
    undefined,
    () => files.splice(0),
  );
  return { files };
}

function asRestored({ path, size, modified, chunks }: BackupFileEntry): RestoreFileEntry {
  return { path, size, modified, chunks: chunks.map(({ hash }) => hash) };
}

function asBuffers(arrived: ReadonlyMap<string, Uint8Array | undefined>): ReadonlyMap<string, Buffer | undefined> {
  return new Map([...arrived].map(([hash, bytes]) => [hash, bytes && Buffer.from(bytes)]));
}
