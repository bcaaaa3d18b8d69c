import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { nameBeside } from '../../../base/files/name-beside.ts';
import { syncDirectory } from '../../disk/sync.ts';
import { METADATA_FILE } from '../../database/sqlite/sqlite-connection.ts';
import { finishStore, openStoreDirectory } from '../../database/store-directory.ts';
import { TransferError } from './export-format.ts';
import { exportLines } from './export-service.ts';
import type { TransferReport } from './export-service.ts';
import { importLines } from './import-service.ts';
import { openPostgresSource, openPostgresTarget } from './postgres-transfer.ts';
import { openSqliteSource, openSqliteTarget } from './sqlite-transfer.ts';

/** The metadata of a service: in PostgreSQL if `database` is set, otherwise in its directory. */
export interface ServiceData {
  readonly data: string;
  /** `postgres://…` */
  readonly database?: string;
}

/**
 * Writes all metadata of a service into a new file that only its owner can read, since it contains secrets and password hashes. May
 * run beside the service.
 *
 * @throws TransferError, or the system's error about the file
 */
export async function exportService({ data, database }: ServiceData, file: string): Promise<TransferReport> {
  if (existsSync(file)) throw new TransferError('the file is there already');
  if (database === undefined) await openStoreDirectory(data, false);
  const source =
    database === undefined ? openSqliteSource(join(data, METADATA_FILE)) : await openPostgresSource(database);
  const temporary = nameBeside(file, `.part-${process.pid}`);
  try {
    let report: TransferReport | undefined;
    const lines = Readable.from(exportLines(source, (done) => (report = done)));
    await pipeline(lines, createZstdCompress(), createWriteStream(temporary, { flags: 'wx', mode: 0o600 }));
    await makeLasting(temporary, file);
    return report!;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    await source.close();
  }
}

/** Fills an empty database from a file. @throws TransferError, StoreError, or the system's error about the file */
export async function importService({ data, database }: ServiceData, file: string): Promise<TransferReport> {
  const input = await open(file, 'r');
  try {
    const paths = database === undefined ? await openStoreDirectory(data, true) : undefined;
    const target =
      database === undefined ? openSqliteTarget(join(data, METADATA_FILE)) : await openPostgresTarget(database);
    try {
      const report = await importLines(linesOf(input.createReadStream({ autoClose: false })), target);
      if (paths) await finishStore(paths);
      return report;
    } finally {
      await target.close();
    }
  } finally {
    await input.close();
  }
}

async function* linesOf(file: Readable): AsyncGenerator<string> {
  const decoded = createZstdDecompress();
  // The loop throws a failure of either.
  pipeline(file, decoded).catch(() => undefined);
  const text = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const piece of decoded) {
      const lines = (rest + text.decode(piece as Buffer, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== '') yield rest;
  } catch (error) {
    throw isDecodingError(error) ? new TransferError('the export cannot be used: it is damaged') : error;
  } finally {
    file.destroy();
  }
}

function isDecodingError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(Z_|ZSTD|ERR_ZSTD|ERR_ENCODING)/.test(code);
}

async function makeLasting(temporary: string, file: string): Promise<void> {
  const written = await open(temporary, 'r+');
  try {
    await written.sync();
  } finally {
    await written.close();
  }
  await rename(temporary, file);
  await syncDirectory(dirname(file));
}
