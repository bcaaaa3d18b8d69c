import { ChunkIdSet } from '../backup/store/chunk-id-set.ts';
import { chunkCountOf, chunkIdAt } from '../backup/store/packed-chunks.ts';
import type { SetReference } from './retention-facts.ts';
import type { RetentionStore } from './retention-store.ts';
import { type VersionSpan, isVisibleIn, visibleIn } from '../backup/store/version-span.ts';
import { scanVersions } from '../backup/store/version-scan.ts';

/** The most times in a result; if there are more, neighbours are combined under the later one. */
const MOST_TIMES = 31;

/** A restore point to be removed, and when (milliseconds since the epoch). */
export interface LeavingPoint {
  readonly sequence: number;
  readonly at: number;
}

export interface Freed {
  readonly at: number;
  /** Bytes of blobs. */
  readonly bytes: number;
}

type Scanned = Pick<RetentionStore, 'versions' | 'sequences' | 'setsOf' | 'blobSizes'>;

/**
 * Returns what the removal of some of a set's restore points frees, earliest first: blobs that no other restore point of the account
 * and no unfinished session needs, each at the time when the last restore point that needs it is removed.
 */
export async function freedSpace(
  store: Scanned,
  { accountId, setNumber }: SetReference,
  leaving: readonly LeavingPoint[],
  signal?: AbortSignal,
): Promise<readonly Freed[]> {
  if (leaving.length === 0) return [];
  const byFrom = leaving.toSorted((a, b) => a.sequence - b.sequence);
  const gone = byFrom.map(({ sequence }) => sequence);
  const staying = await stayingSequences(store, accountId, setNumber, new Set(gone));
  const needed = await neededChunks(store, staying, signal);

  const tally = new Tally(timesOf(leaving));
  for await (const page of scanVersions(store, setNumber, signal)) {
    const passing: { readonly points: readonly LeavingPoint[]; readonly ids: readonly number[] }[] = [];
    for (const version of page) {
      if (!isPassing(version, staying.get(setNumber)!)) continue;
      const [first, end] = visibleIn(version, gone);
      if (first === end) continue;
      const ids = chunkIdsOf(version).filter((id) => !needed.has(id));
      if (ids.length > 0) passing.push({ points: byFrom.slice(first, end), ids });
    }
    const sizes = await store.blobSizes([...new Set(passing.flatMap(({ ids }) => ids))]);
    for (const { points, ids } of passing) tally.add(ids, points, sizes);
  }
  return tally.freed;
}

async function stayingSequences(
  store: Scanned,
  accountId: string,
  setNumber: number,
  gone: ReadonlySet<number>,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const staying = new Map<number, readonly number[]>();
  for (const number of await store.setsOf(accountId)) {
    const sequences = await store.sequences(number);
    staying.set(number, number === setNumber ? sequences.filter((sequence) => !gone.has(sequence)) : sequences);
  }
  return staying;
}

async function neededChunks(
  store: Scanned,
  staying: ReadonlyMap<number, readonly number[]>,
  signal: AbortSignal | undefined,
): Promise<ChunkIdSet> {
  const needed = new ChunkIdSet();
  for (const [number, sequences] of staying) {
    for await (const page of scanVersions(store, number, signal)) {
      for (const version of page) {
        if (isPassing(version, sequences)) continue;
        for (const id of chunkIdsOf(version)) needed.add(id);
      }
    }
  }
  return needed;
}

function chunkIdsOf({ chunks }: VersionSpan): readonly number[] {
  return Array.from({ length: chunkCountOf(chunks) }, (_, index) => chunkIdAt(chunks, index));
}

/** Returns whether no remaining restore point contains the version. Versions of an unfinished session are not passing. */
function isPassing(version: VersionSpan, staying: readonly number[]): boolean {
  return version.from !== undefined && !isVisibleIn(version, staying);
}

function timesOf(leaving: readonly LeavingPoint[]): readonly number[] {
  const times = [...new Set(leaving.map(({ at }) => at))].sort((a, b) => a - b);
  const together = Math.ceil(times.length / MOST_TIMES);
  return times.filter((_, index) => (index + 1) % together === 0 || index === times.length - 1);
}

/** Counts each chunk under the latest time at which a restore point that needs it is removed. */
class Tally {
  readonly #times: readonly number[];
  readonly #chunks: readonly ChunkIdSet[];
  readonly #bytes: number[];

  constructor(times: readonly number[]) {
    this.#times = times;
    this.#chunks = times.map(() => new ChunkIdSet());
    this.#bytes = times.map(() => 0);
  }

  get freed(): readonly Freed[] {
    return this.#times.map((at, index) => ({ at, bytes: this.#bytes[index]! })).filter(({ bytes }) => bytes > 0);
  }

  /** @param sizes bytes of each stored blob, by chunk id */
  add(ids: readonly number[], points: readonly LeavingPoint[], sizes: ReadonlyMap<number, number>): void {
    const latest = points.reduce((time, { at }) => Math.max(time, at), 0);
    const place = this.#times.findIndex((time) => time >= latest);
    for (const id of ids) this.#put(id, sizes.get(id) ?? 0, place);
  }

  #put(id: number, bytes: number, place: number): void {
    const before = this.#chunks.findIndex((chunks) => chunks.has(id));
    if (before >= place) return;
    if (before >= 0) {
      this.#chunks[before]!.delete(id);
      this.#bytes[before]! -= bytes;
    }
    this.#chunks[place]!.add(id);
    this.#bytes[place]! += bytes;
  }
}
