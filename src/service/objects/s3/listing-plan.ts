import type { BlobKey } from '../object-store.ts';

/** Objects in one listing. */
const LISTED = 1_000;

/** A listing costs as much as a few single requests, and also returns objects between the wanted ones. */
const LARGEST_GAP = 64;
const FEWEST_LISTED = 4;

export interface ListingPlan {
  /** Blobs of one account each, with close chunk ids in ascending order: one or two listings cover a range. */
  readonly ranges: readonly (readonly BlobKey[])[];
  /** Blobs that are cheaper to request one by one. */
  readonly single: readonly BlobKey[];
}

/** Plans how to find out with few requests which of these blobs exist. */
export function planListings(keys: readonly BlobKey[]): ListingPlan {
  const ranges: BlobKey[][] = [];
  for (const key of keys.toSorted(byAccountAndNumber)) {
    const range = ranges.at(-1);
    const last = range?.at(-1);
    const fits =
      range !== undefined &&
      last?.accountId === key.accountId &&
      key.chunkId - last.chunkId <= LARGEST_GAP &&
      range.length < LISTED;
    if (fits) range.push(key);
    else ranges.push([key]);
  }
  return {
    ranges: ranges.filter((range) => range.length >= FEWEST_LISTED),
    single: ranges.filter((range) => range.length < FEWEST_LISTED).flat(),
  };
}

function byAccountAndNumber(one: BlobKey, other: BlobKey): number {
  if (one.accountId !== other.accountId) return one.accountId < other.accountId ? -1 : 1;
  return one.chunkId - other.chunkId;
}
