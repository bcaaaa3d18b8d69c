import type { BlobKey } from '../object-store.ts';

/** The folder of blobs: `objects/<account>/<number of the chunk>.<64 hex digits>`. */
const FOLDER = 'objects/';

/** Numbers have up to 48 bits: as many digits, so that names are in the order of the numbers. */
const NUMBER_DIGITS = 15;

const NAME = /^objects\/([A-Za-z0-9_-]+)\/(\d{15})\.([0-9a-f]{64})$/;

/** Where all blobs of an account are. */
export function accountFolder(accountId: string): string {
  return `${FOLDER}${accountId}/`;
}

/**
 * With the chunk's number, which is never used again, a late deletion, or a late PUT, cannot meet a blob that came anew; and
 * what was announced together stands together, so that a listing tells of a thousand at once.
 */
export function blobName({ accountId, chunkId, digest }: Omit<BlobKey, 'size'>): string {
  return `${accountFolder(accountId)}${String(chunkId).padStart(NUMBER_DIGITS, '0')}.${digest}`;
}

/** Behind this name an account's blobs from that number on begin. */
export function nameBefore(accountId: string, chunkId: number): string {
  return `${accountFolder(accountId)}${String(chunkId - 1).padStart(NUMBER_DIGITS, '0')}.~`;
}

/** What an object's name says; nothing where it is no blob's. */
export function parseBlobName(name: string): Omit<BlobKey, 'size'> | undefined {
  const [, accountId, number, digest] = NAME.exec(name) ?? [];
  if (accountId === undefined || number === undefined || digest === undefined) return undefined;
  return { accountId, chunkId: Number(number), digest };
}
