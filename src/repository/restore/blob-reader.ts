import { DigestSet } from '../../format/chunks/digest-set.ts';
import type { BlobArena } from '../../remote/blobs/blob-arena.ts';
import type { BlobDownloader } from '../../remote/ports.ts';
import { packName } from '../../format/repository/file-names.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import type { Repository } from '../repository.ts';
import { readable, readStored } from '../../storage/read-stored.ts';
import { BlobOpener } from './blob-opener.ts';
import { copiesOf } from './copies-of.ts';
import { PackWindows } from './pack-windows.ts';
import { planReads } from './plan-reads.ts';
import { digestOf } from '../../format/chunks/digest.ts';

type ReadRepository = Pick<Repository, 'storage' | 'projection' | 'keys' | 'parity' | 'refresh'>;

interface WantedBlob {
  readonly hash: string;
  /** The best first. */
  readonly locations: readonly BlobLocation[];
}

/**
 * Reads blobs from packs: neighbours by one read. A blob that cannot be read in one pack is looked for in the others, and then in
 * those that were written since: a restore may take longer than packs are kept. One of which no copy opens is computed by parity.
 */
export class BlobReader implements BlobDownloader {
  readonly concurrency: number;
  readonly #repository: ReadRepository;
  readonly #opener: BlobOpener;
  /** How often a blob with several places was delivered: a caller that asks again found it damaged. */
  readonly #deliveries = new Map<string, number>();
  readonly #requested = new DigestSet();
  #isProjectionChecked = false;
  #windows: PackWindows | undefined;

  constructor(repository: ReadRepository) {
    this.concurrency = repository.storage.concurrency;
    this.#repository = repository;
    this.#opener = new BlobOpener(repository);
  }

  /** Reading ahead saves requests, where these cost something. */
  expect(isExpected: (digest: Uint8Array) => boolean): void {
    const { storage } = this.#repository;
    if (storage.listsAtNoCost !== true) this.#windows = new PackWindows(this.#repository, isExpected);
  }

  async download(
    _restoreSession: string,
    hashes: readonly string[],
    onBlob: (hash: string, bytes: Uint8Array | undefined) => void | Promise<void>,
    signal?: AbortSignal,
    arena?: BlobArena,
  ): Promise<void> {
    const repeated = hashes.filter((hash) => this.#requested.has(digestOf(hash)));
    if (repeated.length > 0) await this.#checkProjection(signal);
    for (const hash of hashes) this.#requested.add(digestOf(hash));
    const delivered = new Set<string>();
    if (this.#repository.parity.percent > 0) {
      for (const hash of repeated) {
        const blob = await this.#readSound(hash, signal);
        signal?.throwIfAborted();
        if (!blob) continue;
        // A slice would keep the whole pack in memory.
        await onBlob(hash, arena ? inArena(blob, arena) : Uint8Array.from(blob));
        delivered.add(hash);
      }
    }
    const others = hashes.filter((hash) => !delivered.has(hash));
    const isRepeated = new Set(repeated);
    let wanted: WantedBlob[] = [];
    for (const { hash, locations } of this.#locateAll(others)) {
      // One that was damaged is read anew.
      const blob = isRepeated.has(hash) ? undefined : await this.#inWindow(locations, signal);
      // A slice would keep the whole window in memory.
      if (blob) await onBlob(hash, arena ? inArena(blob, arena) : Uint8Array.from(blob));
      else wanted.push({ hash, locations });
    }
    for (let hasRefreshed = false; wanted.length > 0;) {
      if (!hasRefreshed && wanted.some(({ locations }) => locations.length === 0)) {
        hasRefreshed = true;
        await this.#checkProjection(signal);
        await this.#repository.refresh(signal);
        const isPlaced = ({ locations }: WantedBlob): boolean => locations.length > 0;
        const missing = wanted.filter((blob) => !isPlaced(blob)).map(({ hash }) => hash);
        wanted = [...wanted.filter(isPlaced), ...this.#locateAll(missing)];
      }
      for (const { hash } of wanted.filter(({ locations }) => locations.length === 0)) await onBlob(hash, undefined);
      const again: WantedBlob[] = [];
      const placed = wanted.filter(({ locations }) => locations.length > 0);
      for (const { packHash, offset, length, items } of planReads(placed, ({ locations: [first] }) => first!)) {
        signal?.throwIfAborted();
        // A pack that cannot be read, by a bad sector or for lack of rights, costs what stands only in it.
        const bytes = await readable(
          readStored(this.#repository.storage, packName(packHash), { offset, length }, signal),
        );
        // The arena may belong to another batch by now.
        signal?.throwIfAborted();
        for (const { hash, locations } of items) {
          const [{ offset: at, length: size }, ...remaining] = locations as [BlobLocation, ...BlobLocation[]];
          const blob = bytes?.subarray(at - offset, at - offset + size);
          if (blob?.length === size) await onBlob(hash, arena ? inArena(blob, arena) : blob);
          else again.push({ hash, locations: remaining });
        }
      }
      wanted = again;
    }
  }

  async #inWindow([first]: readonly BlobLocation[], signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    if (!first || !this.#windows) return undefined;
    const blob = await this.#windows.read(first, signal);
    // The arena may belong to another batch by now.
    signal?.throwIfAborted();
    return blob;
  }

  /** Folds the projection anew if it does not hold what was written to it: a blob may be where it does not say. */
  async #checkProjection(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isProjectionChecked) return;
    this.#isProjectionChecked = true;
    const { projection } = this.#repository;
    if (projection.isUndamaged()) return;
    projection.clear();
    await this.#repository.refresh(signal);
  }

  /** Reads a blob that was requested before: the first copy that opens, or else one that parity gives. */
  async #readSound(hash: string, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const digest = digestOf(hash);
    const locations = this.#repository.projection.packs.locate(digest);
    for await (const { bytes } of copiesOf(this.#repository, locations, signal)) {
      if (this.#opener.opens(digest, bytes)) return bytes;
    }
    return undefined;
  }

  /** Locations of each blob, beginning after those that were delivered before. */
  #locateAll(hashes: readonly string[]): WantedBlob[] {
    const located = this.#repository.projection.packs.locateAll(hashes.map(digestOf));
    return hashes.map((hash, index) => ({ hash, locations: this.#afterDelivered(hash, located[index]!) }));
  }

  #afterDelivered(hash: string, locations: readonly BlobLocation[]): readonly BlobLocation[] {
    if (locations.length < 2) return locations;
    const delivered = this.#deliveries.get(hash) ?? 0;
    this.#deliveries.set(hash, delivered + 1);
    const first = delivered % locations.length;
    return [...locations.slice(first), ...locations.slice(0, first)];
  }
}

/** Copies a blob into the arena if it fits. */
function inArena(blob: Uint8Array, arena: BlobArena): Uint8Array {
  const { free } = arena;
  // A copy of its own: a slice would keep the whole read in memory.
  if (free.length < blob.length) return Uint8Array.from(blob);
  const copy = free.subarray(0, blob.length);
  copy.set(blob);
  arena.take(copy);
  return copy;
}
