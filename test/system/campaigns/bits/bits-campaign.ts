import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { Random } from '../../../helpers/random.ts';
import { faultsOf, sealedSamples } from './blobs.ts';
import { storedBytes } from './stored-bytes.ts';

export interface BitsResult {
  /** Sealed chunks of which every bit was inverted. */
  readonly blobs: number;
  readonly bits: number;
  /** Bytes of stored files that were altered. */
  readonly bytes: number;
  /** The number of bytes that could be altered. */
  readonly of: number;
  readonly failures: readonly string[];
}

export interface BitsOptions {
  readonly seed: number;
  /** Bytes of stored files to alter, at random. `Infinity` alters each of them once. */
  readonly runs: number;
  /** Blobs of each of the five kinds. */
  readonly blobs?: number;
  /** Alters what has a name that contains it. */
  readonly only?: string | undefined;
  readonly onFailure?: (failure: string) => void;
}

/**
 * Inverts every bit of sealed chunks, and alters bytes of everything else that a restore reads, or a backup counts on. Each has to be
 * refused, or to have no effect: no other bytes come back, and what does not come back is named.
 */
export async function runBitsCampaign(
  pool: WorkerPool,
  { seed, runs, blobs = 10, only = '', onFailure }: BitsOptions,
): Promise<BitsResult> {
  const random = new Random(seed);
  const failures: string[] = [];
  const fail = (failure: string): void => {
    failures.push(failure);
    onFailure?.(failure);
  };
  const samples = await sealedSamples(random, blobs);
  for (const sample of samples) faultsOf(sample).forEach(fail);
  await using resources = new AsyncDisposableStack();
  const stored = (await storedBytes(pool, random, resources)).filter(({ name }) => name.includes(only));
  const all = stored.flatMap((place) => place.positions.map((at) => ({ place, at })));
  const isSample = runs < all.length;
  const chosen = isSample ? Array.from({ length: runs }, () => pickByPlace(random, stored)) : random.shuffled(all);
  for (const { place, at } of chosen) {
    const mask = 1 + random.below(255);
    const failure = await place.tryByte(at, mask);
    if (failure !== undefined) fail(`${place.name}: byte ${at} xor ${mask}: ${failure}`);
  }
  return {
    blobs: samples.length,
    bits: samples.reduce((sum, { bytes }) => sum + bytes.length * 8, 0),
    bytes: chosen.length,
    of: all.length,
    failures,
  };
}

/** Small files get as many alterations as large ones. */
function pickByPlace<Place extends { readonly positions: readonly number[] }>(
  random: Random,
  places: readonly Place[],
) {
  const place = random.pick(places);
  return { place, at: random.pick(place.positions) };
}
