import { chunkCountOf, chunkDigestAt, chunkIdAt, chunkSizeAt } from '../backup/store/packed-chunks.ts';
import type { PointTotals } from './retention-facts.ts';
import type { RetentionStore } from './retention-store.ts';
import { scanVersions } from '../backup/store/version-scan.ts';
import { type VersionSpan, visibleIn } from '../backup/store/version-span.ts';

/** Damage in the metadata. What it no longer refers to may be needed, so nothing is removed. */
export class DamagedMetadataError extends Error {
  override readonly name = 'DamagedMetadataError';
}

type Store = Pick<RetentionStore, 'versions' | 'totals' | 'digests'>;

/**
 * Reads all versions of a set as `scanVersions`, and compares them with what else is known of them: the chunks have the digests of
 * their ids, and together the size of the file; each restore point has the files and bytes that it had when it was made.
 *
 * @throws DamagedMetadataError at the latest after the last page
 */
export async function* soundVersions(
  store: Store,
  setNumber: number,
  signal: AbortSignal,
): AsyncGenerator<readonly VersionSpan[]> {
  const tally = new Tally(setNumber, await store.totals(setNumber));
  for await (const page of scanVersions(store, setNumber, signal)) {
    await requireChunks(store, setNumber, page);
    tally.add(page);
    yield page;
  }
  tally.finish();
}

async function requireChunks(store: Store, setNumber: number, page: readonly VersionSpan[]): Promise<void> {
  // An unfinished session's versions may lack their chunks, which are deleted before them if it fails.
  const committed = page.filter(({ from }) => from !== undefined);
  const ids = new Set<number>();
  for (const version of committed) {
    let bytes = 0;
    for (const index of chunksOf(version)) {
      bytes += chunkSizeAt(version.chunks, index);
      ids.add(chunkIdAt(version.chunks, index));
    }
    if (bytes === version.size) continue;
    throw new DamagedMetadataError(`a file of set ${setNumber} has ${version.size} bytes, and chunks of ${bytes}`);
  }
  const digests = await store.digests([...ids]);
  for (const version of committed) {
    for (const index of chunksOf(version)) {
      const id = chunkIdAt(version.chunks, index);
      if (digests.get(id)?.equals(chunkDigestAt(version.chunks, index)) === true) continue;
      throw new DamagedMetadataError(`set ${setNumber} refers to chunk ${id}, which is missing or another one`);
    }
  }
}

/** Yields the indexes of a version's chunks. */
function* chunksOf({ chunks }: VersionSpan): Generator<number> {
  const count = chunkCountOf(chunks);
  if (!Number.isInteger(count)) throw new DamagedMetadataError('a list of chunks is cut off');
  for (let index = 0; index < count; index += 1) yield index;
}

/** Counts the files and bytes of restore points. */
class Tally {
  readonly #setNumber: number;
  readonly #points: readonly PointTotals[];
  readonly #sequences: readonly number[];
  /** By the index of a restore point: the difference from the one before. */
  readonly #files: number[];
  readonly #bytes: number[];

  constructor(setNumber: number, points: readonly PointTotals[]) {
    this.#setNumber = setNumber;
    this.#points = points;
    this.#sequences = points.map(({ sequence }) => sequence);
    this.#files = Array.from({ length: points.length + 1 }, () => 0);
    this.#bytes = Array.from({ length: points.length + 1 }, () => 0);
  }

  add(page: readonly VersionSpan[]): void {
    for (const version of page) {
      const [first, end] = visibleIn(version, this.#sequences);
      // One that ends before it begins would be counted as minus one.
      if (first >= end) continue;
      this.#files[first]! += 1;
      this.#files[end]! -= 1;
      this.#bytes[first]! += version.size;
      this.#bytes[end]! -= version.size;
    }
  }

  /** @throws DamagedMetadataError */
  finish(): void {
    let files = 0;
    let bytes = 0;
    for (const [index, point] of this.#points.entries()) {
      files += this.#files[index]!;
      bytes += this.#bytes[index]!;
      if (files === point.files && bytes === point.bytes) continue;
      throw new DamagedMetadataError(
        `run ${point.sequence} of set ${this.#setNumber} had ${point.files} files with ${point.bytes} bytes, and has ${files} with ${bytes}`,
      );
    }
  }
}

/** @throws DamagedMetadataError */
export async function requireStructure({ structureProblem }: Pick<RetentionStore, 'structureProblem'>): Promise<void> {
  const problem = await structureProblem();
  if (problem !== undefined) throw new DamagedMetadataError(problem);
}
