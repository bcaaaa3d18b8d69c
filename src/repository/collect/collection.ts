import { isHoldfastError } from '../../base/errors/errors.ts';
import { PackWriter } from '../backup/pack-writer.ts';
import type { Fact, FactOf } from '../../format/repository/facts.ts';
import { copiesOfKind, decodeTable } from '../../format/repository/pack-file.ts';
import { deleteCoveredSegments } from '../ledger/checkpoint.ts';
import type { LedgerListing } from '../ledger/ledger-files.ts';
import { seePacks } from '../packs/confirm-packs.ts';
import type { StoredPack } from '../projection/packs.ts';
import type { Repository } from '../repository.ts';
import { deleteDecided } from './delete-decided.ts';
import { discardPacks } from './discard-packs.ts';
import { withParity } from './estimate.ts';
import { LiveChunks, type TreeSource } from './live-chunks.ts';
import { packsToCondemn, type ChoiceOptions, type ChosenPack } from './pack-choice.ts';
import { isWhole } from './removal-guard.ts';
import { rescueBlobs } from './rescue-blobs.ts';
import { isSoleWriter } from './sole-writer.ts';
import { WaitingPacks } from './waiting-packs.ts';

/** Share of dead bytes from which a pack is written anew. */
const DEAD_SHARE = 1 / 3;
/** The same where a person wants the space. */
const WANTED_SHARE = 1 / 10;
/** Packs of one step: its facts have to find room on a disk that is full. While there is room, the steps grow. */
const MOST_IN_STEP = 1024;
const GROWTH = 4;

/** Which packs are condemned. @param isWaived whether they are deleted at once */
export function choiceOptions(isWaived: boolean): ChoiceOptions {
  return { deadShare: isWaived ? WANTED_SHARE : DEAD_SHARE, mergesSmall: !isWaived };
}

/** A person waives the days for which condemned packs wait for other computers: this one is the only one that ever wrote. */
export interface Waiver {
  /** Milliseconds by which a listing may be late, as where names are cached. */
  readonly pauseMs: number;
}

export interface CollectionOptions {
  /** A person waits for the result: it may take a file to learn the store's time. */
  readonly isAsked?: boolean;
  readonly waiver?: Waiver | undefined;
}

/** The result of a collection. */
export interface Collected {
  /** Packs that were condemned, and that were decided to be deleted. */
  readonly condemned: number;
  readonly deleted: number;
  /** Bytes of the files that are gone, and of those that were written for it. */
  readonly freedBytes: number;
  readonly writtenBytes: number;
  /** True if something was left undone for lack of room. */
  readonly isFull: boolean;
  /** The reason why nothing was collected; `loss`: why nothing was condemned or deleted. */
  readonly stoppedBy?: 'damage' | 'alarm' | 'loss';
}

/**
 * One collection. It frees before it writes, and in steps, so that it gets on where there is hardly any room: first the files that were decided to be
 * deleted, then packs that nobody needs, then what lives in others is written anew.
 *
 * Why nobody loses a chunk: docs/decisions/0098-repository.md.
 */
export class Collection {
  readonly #repository: Repository;
  readonly #live: LiveChunks;
  readonly #options: CollectionOptions;
  readonly #signal: AbortSignal | undefined;
  /** Bytes of packs that were decided to be deleted in this collection, by their hex hashes. */
  readonly #decided = new Map<string, number>();
  #condemned = 0;
  #deleted = 0;
  #freedBytes = 0;
  #writtenBytes = 0;
  #isFull = false;
  readonly #parityBefore: number;

  constructor(repository: Repository, trees: TreeSource, options: CollectionOptions, signal: AbortSignal | undefined) {
    this.#repository = repository;
    this.#live = new LiveChunks(trees);
    this.#options = options;
    this.#signal = signal;
    this.#parityBefore = repository.parity.storedBytes;
  }

  /**
   * Collects. Does nothing while a file of the repository is damaged or missing, or an alarm is held.
   *
   * @throws HoldfastError `tree_invalid`, `chunk_*` if a tree cannot be read; what the storage throws, other than that it is full
   */
  async run(): Promise<Collected> {
    const repository = this.#repository;
    const { projection } = repository;
    if (!projection.isUndamaged()) await repository.rebuild(this.#signal);
    let listing = await repository.refreshForWriting(this.#signal);
    if (!isWhole(repository)) return this.#result('damage');
    if (projection.points.alarms().length > 0) return this.#result('alarm');
    await seePacks(repository, this.#signal);
    await this.#deleteFiles();
    await this.#live.addAll(projection.points.all(), this.#signal);
    listing = await this.#learnTime(listing);
    const waiting = new WaitingPacks(repository, listing);
    const isHeld = waiting.mayComeBack();
    if (!isHeld) {
      await this.#deleteCondemned(waiting, listing);
      await this.#condemnDead(listing);
    }
    await deleteCoveredSegments(repository.ledger, listing, this.#signal);
    return this.#result(isHeld ? 'loss' : undefined);
  }

  #result(stoppedBy?: Collected['stoppedBy']): Collected {
    return {
      condemned: this.#condemned,
      deleted: this.#deleted,
      freedBytes: this.#freedBytes,
      writtenBytes: this.#writtenBytes + this.#repository.parity.storedBytes - this.#parityBefore,
      isFull: this.#isFull,
      ...(stoppedBy && { stoppedBy }),
    };
  }

  /** Deletes packs that were condemned long enough ago, those that nobody needs first. */
  async #deleteCondemned(waiting: WaitingPacks, listing: LedgerListing): Promise<void> {
    const { packs } = this.#repository.projection;
    const isWaived = this.#isWaived(listing);
    const due = packs.condemned().filter((pack) => isWaived || waiting.isOver(pack));
    const needed = due.filter((pack) => this.#isNeeded(pack));
    const others = due.filter((pack) => !needed.includes(pack));
    for (const step of inSteps(others)) await this.#delete(step, isWaived);
    await this.#growing(needed, async (step) => {
      if (!(await this.#rescue(step))) return false;
      return await this.#delete(step, isWaived);
    });
  }

  /** Condemns packs that are mostly dead, once what lives in them stands in others. */
  async #condemnDead(listing: LedgerListing): Promise<void> {
    const { projection, storage } = this.#repository;
    const isWaived = this.#isWaived(listing);
    const chosen = packsToCondemn(projection.packs, this.#live.digests, choiceOptions(isWaived));
    const dead = chosen.filter(({ livingBytes }) => livingBytes === 0);
    for (const step of inSteps(dead)) if (!(await this.#condemn(step, isWaived))) return;
    const living = chosen.slice(dead.length);
    if (living.length === 0) return;
    // The copies take room at once, and free it days later: backups need the rest until then.
    const room = isWaived ? Infinity : ((await storage.space?.(this.#signal))?.free ?? Infinity) / 2;
    let bytes = 0;
    const { percent } = this.#repository.parity;
    const fitting = living.filter(({ livingBytes }) => (bytes += withParity(livingBytes, percent)) <= room);
    if (fitting.length < living.length) this.#isFull = true;
    if (isWaived) await this.#growing(fitting, (step) => this.#condemn(step, true));
    else for (const step of inSteps(fitting)) if (!(await this.#condemn(step, false))) return;
  }

  /** Works in steps that grow. After a step without enough room, packs are taken one by one. @param work returns false without enough room */
  async #growing<Pack>(packs: readonly Pack[], work: (step: readonly Pack[]) => Promise<boolean>): Promise<void> {
    let size = 1;
    for (let from = 0; from < packs.length;) {
      this.#signal?.throwIfAborted();
      const step = packs.slice(from, from + size);
      if (await work(step)) {
        from += step.length;
        size = Math.min(MOST_IN_STEP, size * GROWTH);
      } else if (step.length > 1) size = 1;
      else return;
    }
  }

  /**
   * Condemns packs whose living blobs stand elsewhere, having copied them there. If the days are waived, it then deletes them.
   *
   * @returns false if there was not enough room for all
   */
  async #condemn(chosen: readonly ChosenPack[], isWaived: boolean): Promise<boolean> {
    const { projection, clock } = this.#repository;
    const packs = chosen
      .filter(({ number }) => !projection.packs.isCondemned(number))
      .map(({ number }) => projection.packs.find(number))
      .filter((pack) => pack !== undefined);
    const copied = await this.#copy(packs, isWaived);
    if (copied.packs.length > 0) {
      const condemned = await this.#append((): readonly Fact[] => [
        ...this.#newPackFacts(),
        { kind: 'condemned', packs: copied.packs.map(({ hash }) => hash), time: clock.now() },
      ]);
      if (!condemned) {
        await this.#discard(copied.written);
        return false;
      }
      this.#condemned += copied.packs.length;
      if (isWaived) {
        if (this.#options.waiver!.pauseMs > 0) await clock.sleep(this.#options.waiver!.pauseMs, this.#signal);
        if (!(await this.#delete(copied.packs, true))) return false;
      }
    }
    return copied.isWhole;
  }

  /** Stores what lives in condemned packs elsewhere. Returns false without enough room. */
  async #rescue(packs: readonly StoredPack[]): Promise<boolean> {
    return (await this.#copy(packs, true)).isWhole;
  }

  /**
   * Copies the living blobs of packs. Returns the packs of which each one stands elsewhere: not one with a blob that cannot be read.
   *
   * @param frees whether the packs are deleted next, so that the reserve may be given up
   */
  async #copy(packs: readonly StoredPack[], frees: boolean): Promise<CopiedPacks> {
    const leaving = new Set(packs.map(({ number }) => number));
    const written: Buffer[] = [];
    const copyAll = async (): Promise<StoredPack[]> => {
      const writer = this.#newWriter(leaving);
      const copied: StoredPack[] = [];
      try {
        for (const pack of packs) {
          this.#signal?.throwIfAborted();
          const isCopied = await rescueBlobs(
            this.#repository,
            pack,
            { live: this.#live.digests, writer },
            this.#signal,
          );
          if (isCopied) copied.push(pack);
        }
        await writer.flush(this.#signal);
      } finally {
        written.push(...writer.stored);
        this.#writtenBytes += writer.storedBytes;
      }
      return copied;
    };
    try {
      const copied = await (frees ? this.#repository.reserve.lend(copyAll, this.#signal) : copyAll());
      return { packs: copied, written, isWhole: true };
    } catch (error) {
      if (!isHoldfastError(error, 'destination_full')) throw error;
      this.#isFull = true;
      return { packs: packs.filter((pack) => this.#standsElsewhere(pack, leaving)), written, isWhole: false };
    }
  }

  #newWriter(leaving: ReadonlySet<number>): PackWriter {
    const { projection, storage, repositoryKeys, id, parity } = this.#repository;
    const parts = { storage, projection, keys: repositoryKeys.pack, repository: id, parity };
    return new PackWriter(parts, (pack) => leaving.has(pack));
  }

  /** The facts about packs that no segment names and that have something that lives: others will count on them. */
  #newPackFacts(): readonly FactOf<'pack'>[] {
    return this.#repository.projection.packs
      .unreportedFacts()
      .filter(({ table }) => decodeTable(table)!.some(({ digest }) => this.#live.digests.has(Buffer.from(digest))));
  }

  /**
   * States that packs are deleted, unless a restore point needs them by now, and deletes their files.
   *
   * @returns false without room for the fact
   */
  async #delete(packs: readonly StoredPack[], isWaived: boolean): Promise<boolean> {
    const { points } = this.#repository.projection;
    let deleted: readonly StoredPack[] = [];
    // The fact comes first: a file that is left over is found later, one that is missing would look like damage.
    const isStated = await this.#append(async (listing) => {
      // This listing began after the condemnations were put: it has every restore point whose run did not see them.
      await this.#live.addAll(points.all(), this.#signal);
      // Somebody has joined meanwhile, for whom the days are.
      const isOver = !isWaived || this.#isWaived(listing);
      deleted = isOver ? packs.filter((pack) => !this.#isNeeded(pack)) : [];
      const facts = this.#newPackFacts();
      if (deleted.length > 0) return [...facts, { kind: 'deleted', packs: deleted.map(({ hash }) => hash) }];
      return facts.length > 0 ? facts : undefined;
    });
    if (!isStated) return false;
    for (const { hash, bytes } of deleted) this.#decided.set(hash.toString('hex'), bytes);
    this.#deleted += deleted.length;
    await this.#deleteFiles();
    return true;
  }

  /** Deletes the files of packs that were decided to be deleted. */
  async #deleteFiles(): Promise<void> {
    const { gone, parityBytes } = await deleteDecided(this.#repository, this.#signal);
    this.#freedBytes += parityBytes + gone.reduce((sum, hash) => sum + (this.#decided.get(hash) ?? 0), 0);
  }

  /** Takes packs back that a step has written in vain. */
  async #discard(packs: readonly Buffer[]): Promise<void> {
    this.#writtenBytes -= await discardPacks(this.#repository, packs, { signal: this.#signal });
  }

  /** Appends facts, without the reserve if necessary. Returns false if there is no room even then. */
  async #append(
    decide: (listing: LedgerListing) => readonly Fact[] | undefined | Promise<readonly Fact[] | undefined>,
  ): Promise<boolean> {
    const repository = this.#repository;
    try {
      await repository.appendWithReserve(decide, this.#signal);
      return true;
    } catch (error) {
      if (!isHoldfastError(error, 'destination_full')) throw error;
      this.#isFull = true;
      return false;
    }
  }

  /** Returns whether a pack holds a blob that lives and that too few packs that count hold. */
  #isNeeded({ blobs }: StoredPack): boolean {
    const { packs } = this.#repository.projection;
    return blobs.some(
      ({ digest, kind }) => this.#live.digests.has(Buffer.from(digest)) && !packs.isStored(digest, kind),
    );
  }

  /** Returns whether each living blob of a pack stands in as many that count and do not leave as it should. */
  #standsElsewhere({ blobs }: StoredPack, leaving: ReadonlySet<number>): boolean {
    const { packs } = this.#repository.projection;
    return blobs.every(({ digest, kind }) => {
      if (!this.#live.digests.has(Buffer.from(digest))) return true;
      return packs.packsWith(digest).filter((pack) => !leaving.has(pack)).length >= copiesOfKind(kind);
    });
  }

  #isWaived(listing: LedgerListing): boolean {
    return this.#options.waiver !== undefined && isSoleWriter(this.#repository, listing);
  }

  /**
   * The age of a condemnation is measured by the store's clock, and others wait until this computer has seen it: if there is news, appends a
   * segment without facts, and reads the ledgers again.
   */
  async #learnTime(listing: LedgerListing): Promise<LedgerListing> {
    const isNews = new WaitingPacks(this.#repository, listing).haveNews(this.#options.isAsked === true);
    if (!isNews || !(await this.#append(() => []))) return listing;
    return await this.#repository.refreshForWriting(this.#signal);
  }
}

/** Divides packs into those of one step. */
function* inSteps<Pack>(packs: readonly Pack[]): Generator<readonly Pack[]> {
  for (let from = 0; from < packs.length; from += MOST_IN_STEP) yield packs.slice(from, from + MOST_IN_STEP);
}

interface CopiedPacks {
  /** The copied packs that can be condemned. */
  readonly packs: readonly StoredPack[];
  /** Hashes of the packs that were written. */
  readonly written: readonly Buffer[];
  /** False if there was not enough room. */
  readonly isWhole: boolean;
}
