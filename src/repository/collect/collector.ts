import { bufferOf } from '../../base/buffer-of.ts';
import type { DigestSet } from '../../engine/chunk/digest-set.ts';
import { PackWriter, type NewBlob } from '../backup/pack-writer.ts';
import type { Fact } from '../format/facts.ts';
import { packName } from '../format/file-names.ts';
import { deleteCoveredSegments } from '../ledger/checkpoint.ts';
import type { LedgerListing } from '../ledger/ledger-files.ts';
import { deleteUnlocked } from '../locks/delete-unlocked.ts';
import { seePacks } from '../packs/confirm-packs.ts';
import type { CondemnedPack, StoredPack } from '../projection/packs.ts';
import type { Point } from '../projection/points.ts';
import type { Repository } from '../repository.ts';
import { Ages } from './ages.ts';
import { isWhole } from './removal-guard.ts';
import { LiveChunks, type TreeSource } from './live-chunks.ts';
import { TreeChunks } from './tree-chunks.ts';

const DAY = 24 * 3_600_000;

/** Milliseconds between condemning a pack and deleting its file, at the least. */
export const CONDEMNED_FOR_MS = 3 * DAY;
/** A device without a segment for so long does not hold up deletions. It reads the ledgers before it counts on anything. */
const SILENT_AFTER_MS = 30 * DAY;
/** Milliseconds after a loss of packs during which nothing is condemned or deleted. */
const LOST_FOR_MS = 30 * DAY;
/** Share of dead bytes from which a pack is written anew. */
const DEAD_SHARE = 1 / 3;
/** Packs smaller than this are merged once there are many of them. */
const SMALL_PACK_BYTES = 4 * 1024 * 1024;
const MANY_SMALL_PACKS = 64;
/** Bytes that are read from a pack at once. */
const READ_BYTES = 8 * 1024 * 1024;

/** The result of a collection. */
export interface Collection {
  /** Packs that were condemned, and whose files were deleted. */
  readonly condemned: number;
  readonly deleted: number;
  /** Bytes of the deleted files. */
  readonly freedBytes: number;
  /** The reason why nothing was collected. */
  readonly stoppedBy?: 'damage' | 'alarm';
}

const NOTHING: Collection = { condemned: 0, deleted: 0, freedBytes: 0 };

/**
 * Frees the space of chunks that no restore point needs, in two steps that are days apart. First it writes what lives in a pack
 * that is mostly dead into new packs and condemns the old one for good: from then on no backup counts on it. Later it deletes the
 * file, after every device has read of the condemnation. What restore points need then nevertheless is written anew first.
 *
 * Why nobody loses a chunk: docs/decisions/0098-repository.md.
 */
export class Collector {
  readonly #repository: Repository;
  readonly #trees: TreeSource;

  constructor(repository: Repository, trees: TreeSource = new TreeChunks(repository)) {
    this.#repository = repository;
    this.#trees = trees;
  }

  /**
   * Collects once. Does nothing while a file of the repository is damaged or missing, or an alarm is held.
   *
   * @throws HoldfastError `tree_invalid`, `chunk_*` if a tree cannot be read; what the storage throws
   */
  async collect(signal?: AbortSignal): Promise<Collection> {
    const { projection } = this.#repository;
    if (!projection.isUndamaged()) await this.#repository.rebuild(signal);
    const listing = await this.#repository.refreshForWriting(signal);
    if (!isWhole(this.#repository)) return { ...NOTHING, stoppedBy: 'damage' };
    if (projection.points.alarms().length > 0) return { ...NOTHING, stoppedBy: 'alarm' };
    await seePacks(this.#repository, signal);
    await this.#deleteLeftOver(signal);
    const live = new LiveChunks(this.#trees);
    await live.addAll(projection.points.all(), signal);
    const deleted = await this.#deleteCondemned(live, listing, signal);
    const condemned = mayComeBack(new Ages(this.#repository, listing)) ? 0 : await this.#condemn(live.digests, signal);
    await deleteCoveredSegments(this.#repository.ledger, listing, signal);
    return { condemned, ...deleted };
  }

  /** Bytes of blobs that only these restore points need. */
  async bytesOnlyIn(points: readonly Point[], signal?: AbortSignal): Promise<number> {
    const { projection } = this.#repository;
    const leaving = new Set(points.map(({ id }) => id.toString('hex')));
    const staying = new LiveChunks(this.#trees);
    await staying.addAll(
      projection.points.all().filter(({ id }) => !leaving.has(id.toString('hex'))),
      signal,
    );
    const gone = new LiveChunks(this.#trees);
    await gone.addAll(points, signal);
    let bytes = 0;
    for (const digest of gone.digests) {
      if (!staying.digests.has(digest)) bytes += projection.packs.locate(digest)[0]?.length ?? 0;
    }
    return bytes;
  }

  /** Bytes of condemned packs and when they are deleted at the earliest, in milliseconds since the epoch. */
  freeing(): readonly { readonly at: number; readonly bytes: number }[] {
    const { projection, clock } = this.#repository;
    const now = clock.now();
    return projection.packs
      .condemned()
      .map(({ condemnedAt, bytes }) => ({ at: Math.min(condemnedAt, now) + CONDEMNED_FOR_MS, bytes }));
  }

  /** Writes what lives in packs that are mostly dead into new ones, and condemns the old. */
  async #condemn(live: DigestSet, signal: AbortSignal | undefined): Promise<number> {
    const { clock } = this.#repository;
    const chosen = this.#packsToCondemn(live);
    if (chosen.length === 0) return 0;
    const numbers = new Set(chosen.map(({ number }) => number));
    const writer = this.#newPacks((pack) => numbers.has(pack));
    const condemned: StoredPack[] = [];
    for (const pack of chosen) {
      signal?.throwIfAborted();
      if (await this.#rescue(pack, live, writer, signal)) condemned.push(pack);
    }
    await writer.flush(signal);
    if (condemned.length === 0) return 0;
    await this.#repository.append((): readonly Fact[] => {
      const time = clock.now();
      return [
        ...this.#repository.projection.packs.unreportedFacts(),
        { kind: 'condemned', packs: condemned.map(({ hash }) => hash), time },
      ];
    }, signal);
    return condemned.length;
  }

  #newPacks(isLeaving?: (pack: number) => boolean): PackWriter {
    const { projection, storage, repositoryKeys, id, parity } = this.#repository;
    return new PackWriter({ storage, projection, keys: repositoryKeys.pack, repository: id, parity }, isLeaving);
  }

  /** Packs that are mostly dead, and small ones if there are many. */
  #packsToCondemn(live: DigestSet): readonly StoredPack[] {
    const { packs } = this.#repository.projection;
    const dead: StoredPack[] = [];
    const small: StoredPack[] = [];
    for (const pack of packs.stored()) {
      if (pack.writer === undefined || !packs.isCountable(pack.number)) continue;
      const deadBytes = pack.blobs.reduce((sum, { digest, length }) => (isLive(digest) ? sum : sum + length), 0);
      if (deadBytes > pack.bytes * DEAD_SHARE) dead.push(pack);
      else if (pack.bytes < SMALL_PACK_BYTES) small.push(pack);
    }
    return small.length >= MANY_SMALL_PACKS ? [...dead, ...small] : dead;

    function isLive(digest: Uint8Array): boolean {
      return live.has(bufferOf(digest));
    }
  }

  /** Copies the live blobs of a pack. Returns false if one of them cannot be read: the pack then stays. */
  async #rescue(
    pack: StoredPack,
    live: DigestSet,
    writer: PackWriter,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { storage } = this.#repository;
    const name = packName(pack.hash.toString('hex'));
    const living = pack.blobs.filter(({ digest }) => live.has(Buffer.from(digest)));
    for (let start = 0; start < living.length;) {
      const first = living[start]!;
      let end = start + 1;
      while (end < living.length && living[end]!.offset + living[end]!.length - first.offset <= READ_BYTES) end += 1;
      const last = living[end - 1]!;
      const range = { offset: first.offset, length: last.offset + last.length - first.offset };
      const bytes = await storage.get(name, range, signal);
      if (bytes?.length !== range.length) return false;
      const blobs = living.slice(start, end).map(({ digest, offset, length, size, kind }): NewBlob => {
        const at = offset - first.offset;
        return { digest: Buffer.from(digest), bytes: bytes.subarray(at, at + length), size, kind };
      });
      if (!(await this.#areSound(blobs))) return false;
      await writer.add(blobs, signal);
      start = end;
    }
    return true;
  }

  /** Blobs are copied only after they were opened, so that damage is not spread. */
  async #areSound(blobs: readonly NewBlob[]): Promise<boolean> {
    const { openBlob } = await import('../../engine/crypto/blob.ts');
    const { chunkKeysOf, ENVELOPE_CHUNK_KEY } = await import('../../engine/crypto/chunk-keys.ts');
    const keys = chunkKeysOf(this.#repository.keys.chunk);
    return blobs.every(({ digest, bytes, kind }) => {
      try {
        if (kind === 'envelope') openBlob(ENVELOPE_CHUNK_KEY, bytes, digest);
        else keys.open(bytes, digest);
        return true;
      } catch {
        return false;
      }
    });
  }

  /** Deletes the files of packs that were condemned long enough ago. What is still needed of them is stored anew before. */
  async #deleteCondemned(
    live: LiveChunks,
    listing: LedgerListing,
    signal: AbortSignal | undefined,
  ): Promise<Pick<Collection, 'deleted' | 'freedBytes'>> {
    const { packs, points } = this.#repository.projection;
    const condemned = packs.condemned();
    const ages = new Ages(this.#repository, listing);
    const due = mayComeBack(ages) ? [] : condemned.filter((pack) => this.#isOver(ages, pack));
    const writer = this.#newPacks();
    for (const pack of due) {
      if (this.#isNeeded(pack, live.digests)) await this.#rescue(pack, live.digests, writer, signal);
    }
    await writer.flush(signal);
    let deleted: readonly CondemnedPack[] = [];
    // The fact comes first: a file that is left over is found later, one that is missing would look like damage.
    await this.#repository.append(async () => {
      // This second listing began after the first one had shown the condemnations: it has every restore point whose run did
      // not see them.
      await live.addAll(points.all(), signal);
      deleted = due.filter((pack) => !this.#isNeeded(pack, live.digests));
      const facts = this.#repository.projection.packs.unreportedFacts();
      if (deleted.length > 0) return [...facts, { kind: 'deleted', packs: deleted.map(({ hash }) => hash) }];
      // The age of a condemnation is measured by the store's clock, and others wait until this computer has seen it.
      const isNews = condemned.some(({ by }) => !this.#isStatedAsSeen(by)) || this.#isStoreClockOld(listing);
      return facts.length > 0 || (condemned.length > 0 && isNews) ? facts : undefined;
    }, signal);
    await this.#deleteLeftOver(signal);
    return { deleted: deleted.length, freedBytes: deleted.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** Deletes the files of packs that this computer decided to delete, also where it was interrupted. */
  async #deleteLeftOver(signal: AbortSignal | undefined): Promise<void> {
    const { projection, writerKey } = this.#repository;
    const packs = projection.packs.toBeDeleted(writerKey.id);
    if (packs.length === 0) return;
    const hashes = packs.map((hash) => hash.toString('hex'));
    const gone: string[] = [];
    for (const hash of hashes) {
      // The file of a locked one is deleted when its lock has ended.
      if (await deleteUnlocked(this.#repository, packName(hash), signal)) gone.push(hash);
    }
    const kept = new Set(await this.#deleteParity(gone, signal));
    for (const hash of gone) if (!kept.has(hash)) projection.packs.markGone(Buffer.from(hash, 'hex'));
  }

  /** Deletes the parity of packs. Returns those of which some is locked. */
  async #deleteParity(packs: readonly string[], signal: AbortSignal | undefined): Promise<readonly string[]> {
    const kept: string[] = [];
    for (const [pack, files] of packs.length === 0 ? [] : await this.#repository.parity.list(packs, signal)) {
      for (const { name } of files) if (!(await deleteUnlocked(this.#repository, name, signal))) kept.push(pack);
    }
    return kept;
  }

  /** Returns whether a pack holds a chunk that lives and that no pack that counts holds. */
  #isNeeded({ blobs }: StoredPack, live: DigestSet): boolean {
    const { packs } = this.#repository.projection;
    return blobs.some(({ digest }) => live.has(Buffer.from(digest)) && packs.packWith(digest) === undefined);
  }

  /** Returns whether condemnations are old enough and known to every device. */
  #isOver(ages: Ages, { by, condemnedAt }: CondemnedPack): boolean {
    // Both are asked at once: a time in the future counts from the first question on.
    const isSeenByAll = this.#isSeenByAll(ages, by);
    const age = by.map(({ writer, number }) => ages.ofSegment(writer, number, condemnedAt));
    return Math.min(...age) >= CONDEMNED_FOR_MS && isSeenByAll;
  }

  /** Returns whether every writer that is neither silent nor retired has read the condemnations. */
  #isSeenByAll(ages: Ages, by: CondemnedPack['by']): boolean {
    const { projection, writerKey } = this.#repository;
    const { ledgers } = projection;
    return ledgers
      .writers()
      .filter(({ id, number, isRetired, time }) => !isRetired && ages.ofSegment(id, number, time) < SILENT_AFTER_MS)
      .every(({ id }) =>
        by.every(({ writer, number }) =>
          id === writer || id === writerKey.id ? true : ledgers.seenBy(id, writer) >= number,
        ),
      );
  }

  /** Returns whether this computer's newest segment was written after it had read the condemnations. */
  #isStatedAsSeen(by: readonly { readonly writer: string; readonly number: number }[]): boolean {
    const { projection, writerKey } = this.#repository;
    return by.every(
      ({ writer, number }) => writer === writerKey.id || projection.ledgers.seenBy(writerKey.id, writer) >= number,
    );
  }

  /** Returns whether this computer's newest segment is a day old, so that a new one is what shows the store's time. */
  #isStoreClockOld(listing: LedgerListing): boolean {
    const { projection, writerKey, clock } = this.#repository;
    const own = projection.ledgers.writer(writerKey.id);
    const now = clock.now();
    return tellsTime(listing) && (own === undefined || now - own.time >= DAY || now < own.time);
  }
}

/** Returns whether packs were lost lately: what only their trees need is not known, and they may come back. */
function mayComeBack(ages: Ages): boolean {
  const age = ages.ofLastLoss();
  return age !== undefined && age < LOST_FOR_MS;
}

function tellsTime(listing: LedgerListing): boolean {
  return [...listing.values()].some((files) => files.some(({ created }) => created !== undefined));
}
