import BetterSqlite from 'better-sqlite3';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  OBJECTS_FOLDER,
  PACKS_FOLDER,
  SMALL_BLOB_BYTES,
  SMALL_BLOBS_FILE,
} from '../../objects/folder/folder-object-store.ts';
import { METADATA_FILE } from '../../database/sqlite/sqlite-connection.ts';

interface StoredChunk {
  readonly id: number;
  readonly account: string;
  readonly digest: string;
  /** Bytes of the blob. */
  readonly bytes: number;
}

interface PackedBlob {
  readonly pack: number;
  readonly length: number;
  readonly end: number;
}

/** Counts the stored chunks without a blob of the right size in the store's folder. */
export function missingBlobs(data: string): number {
  const metadata = new BetterSqlite(join(data, METADATA_FILE), { readonly: true, fileMustExist: true });
  const blobs = new BetterSqlite(join(data, SMALL_BLOBS_FILE), { readonly: true, fileMustExist: true });
  try {
    const packed = blobs.prepare<[number], PackedBlob>(
      'SELECT pack, length, "offset" + length AS "end" FROM packed WHERE chunk_id = ?',
    );
    const packSizes = new Map<number, number>();
    const packSize = (pack: number): number => {
      const size = packSizes.get(pack) ?? sizeOf(join(data, PACKS_FOLDER, `${pack}.pack`));
      packSizes.set(pack, size);
      return size;
    };
    let missing = 0;
    for (const { id, account, digest, bytes } of metadata.prepare<[], StoredChunk>(STORED).iterate()) {
      const place = bytes <= SMALL_BLOB_BYTES ? packed.get(id) : undefined;
      const isThere =
        bytes <= SMALL_BLOB_BYTES
          ? place?.length === bytes && place.end <= packSize(place.pack)
          : sizeOf(join(data, OBJECTS_FOLDER, account, digest.slice(0, 2), `${digest}.${id}`)) === bytes;
      if (!isThere) missing += 1;
    }
    return missing;
  } finally {
    blobs.close();
    metadata.close();
  }
}

const STORED = `
SELECT chunk.id, account.id AS account, lower(hex(chunk.digest)) AS digest, chunk.blob_size AS bytes
FROM chunk JOIN account ON account.number = chunk.account_number WHERE chunk.size IS NOT NULL`;

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? -1;
}
