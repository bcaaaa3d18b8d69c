import { DamagedFileError } from '../../format/repository/damage.ts';
import { packName } from '../../format/repository/file-names.ts';
import type { RepositoryKeys } from '../../format/repository/keys.ts';
import {
  blobBytesOf,
  openPackTable,
  PACK_TRAILER_BYTES,
  sealedTableBytes,
  type PlacedBlob,
} from '../../format/repository/pack-file.ts';
import type { Projection } from '../projection/projection.ts';
import type { Storage } from '../../storage/storage.ts';
import { readable, readStored } from '../../storage/read-stored.ts';
import { KIB } from '../../model/units.ts';

/** Bytes at the end of a pack that have its table, unless that is very long. */
const END_BYTES = 64 * KIB;

/** What opening packs needs of a repository. */
export interface PackStore {
  readonly storage: Storage;
  readonly repositoryKeys: RepositoryKeys;
  /** The repository's id. */
  readonly id: string;
}

/** An opened table. */
export interface PackEnd {
  readonly table: Buffer;
  readonly blobs: readonly PlacedBlob[];
}

/** Takes what a pack says of itself into the projection. The next segment of this writer names it. Belongs in a `change`. */
export function takePack({ packs }: Pick<Projection, 'packs'>, hash: Uint8Array, { table, blobs }: PackEnd): void {
  packs.add({ hash, writer: undefined, contents: table }, blobs);
}

/**
 * Reads the table at the end of a pack.
 *
 * @param bytes of the file
 * @throws DamagedFileError; what the storage throws
 */
export async function readPackEnd(
  { storage, repositoryKeys, id }: PackStore,
  hash: string,
  bytes: number,
  signal?: AbortSignal,
): Promise<PackEnd> {
  const file = packName(hash);
  const read = async (length: number): Promise<Uint8Array> => {
    const end = await readStored(storage, file, { offset: bytes - length, length }, signal);
    if (!end) throw new DamagedFileError(file, 'missing');
    if (end.length !== length) throw new DamagedFileError(file, 'length');
    return end;
  };
  if (bytes < PACK_TRAILER_BYTES) throw new DamagedFileError(file, 'length');
  let end = await read(Math.min(bytes, END_BYTES));
  const sealedBytes = sealedTableBytes(file, end.subarray(-PACK_TRAILER_BYTES), bytes);
  const endBytes = sealedBytes + PACK_TRAILER_BYTES;
  if (endBytes > end.length) end = await read(endBytes);
  const sealed = end.subarray(end.length - endBytes, end.length - PACK_TRAILER_BYTES);
  const opened = openPackTable({ keys: repositoryKeys.pack, repository: id, file }, sealed, bytes);
  if (blobBytesOf(opened.blobs) + endBytes !== bytes) throw new DamagedFileError(file, 'content');
  return opened;
}

/** Returns the table at the end of a pack; `undefined` if the file is damaged or missing. @throws what the storage throws */
export async function readIfSound(
  store: PackStore,
  hash: string,
  bytes: number,
  signal?: AbortSignal,
): Promise<PackEnd | undefined> {
  return await readable(readPackEnd(store, hash, bytes, signal));
}
