import type { BlobKey } from '../object-store.ts';

/** The folder of blobs: `objects/<account>/<number of the chunk>.<64 hex digits>`. */
const FOLDER = 'objects/';

/** Ids have up to 48 bits; with this many digits names sort in the order of ids. */
const NUMBER_DIGITS = 15;

const NAME = /^objects\/([A-Za-z0-9_-]+)\/(\d{15})\.([0-9a-f]{64})$/;

/** Returns the folder of an account's blobs. */
export function accountFolder(accountId: string): string {
  return `${FOLDER}${accountId}/`;
}

/**
 * Returns the name of a blob's object. It contains the chunk's id, which is never reused, so that a late deletion or PUT cannot hit a
 * blob that was uploaded again. Chunks that were announced together are adjacent, so that one listing covers a thousand of them.
 */
export function blobName({ accountId, chunkId, digest }: Omit<BlobKey, 'size'>): string {
  return `${accountFolder(accountId)}${String(chunkId).padStart(NUMBER_DIGITS, '0')}.${digest}`;
}

/** Returns a name that precedes the account's blobs from that chunk on. */
export function nameBefore(accountId: string, chunkId: number): string {
  return `${accountFolder(accountId)}${String(chunkId - 1).padStart(NUMBER_DIGITS, '0')}.~`;
}

/** Parses an object's name; returns `undefined` if it is not a blob's. */
export function parseBlobName(name: string): Omit<BlobKey, 'size'> | undefined {
  const [, accountId, number, digest] = NAME.exec(name) ?? [];
  if (accountId === undefined || number === undefined || digest === undefined) return undefined;
  return { accountId, chunkId: Number(number), digest };
}
