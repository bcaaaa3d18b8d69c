import { lateSegments } from '../ledger/append-facts.ts';
import type { LedgerListing } from '../ledger/ledger-files.ts';
import {
  CHECKPOINTS_FOLDER,
  DAMAGED_FOLDER,
  packHashIn,
  packName,
  RESERVE_FOLDER,
} from '../../format/repository/file-names.ts';
import { LARGEST_PACK_BYTES } from '../../format/repository/pack-file.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';
import { listedBytes } from '../packs/compare-packs.ts';
import type { Repository } from '../repository.ts';
import { leaveOut } from '../../storage/unreadable.ts';
import { hashStored } from '../../storage/hash-stored.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import { ABANDONED, type LeftOver } from '../../storage/left-overs.ts';
import type { StoredFile } from '../../storage/storage.ts';
import { choiceOptions, Collection, type Collected } from './collection.ts';
import { discardPacks } from './discard-packs.ts';
import { bytesAnew } from './estimate.ts';
import { FreedAmounts, type LaterSpace } from './freed-amounts.ts';
import { LiveChunks, type TreeSource } from './live-chunks.ts';
import { packsToCondemn } from './pack-choice.ts';
import { isWhole } from './removal-guard.ts';
import { hasForeignPacks, isSoleWriter } from './sole-writer.ts';
import { CONDEMNED_FOR_MS, WaitingPacks } from './waiting-packs.ts';
import { MINUTE } from '../../model/units.ts';

/** Milliseconds after which an unfinished file is nobody's where no other computer writes. */
const ABANDONED_ALONE = 10 * MINUTE;

/** What can be freed at a destination. */
export interface FreePlan {
  /** True if no other computer ever wrote there: a person may waive the days. */
  readonly isSole: boolean;
  /** Names of the other computers that wrote there. */
  readonly others: readonly string[];
  /** Bytes that are freed at once, less what is written for it. */
  readonly nowBytes: number;
  /** Those among them that interrupted backups have stored, which the next one would have gone on from. */
  readonly interruptedBytes: number;
  /** Bytes that are set aside again for the next time that there is no room. Taken off what is freed. */
  readonly reserveBytes: number;
  readonly later: readonly LaterSpace[];
  /** True if the store keeps what is deleted as old versions: its space is free only once these are gone. */
  readonly keepsDeleted: boolean;
  readonly stoppedBy?: Collected['stoppedBy'];
}

/** What was freed. */
export interface FreeReport extends Pick<
  FreePlan,
  'isSole' | 'others' | 'reserveBytes' | 'later' | 'keepsDeleted' | 'stoppedBy'
> {
  /** Less what was written for it. */
  readonly freedBytes: number;
  /** Bytes of what was deleted, also earlier, and is still there: as old versions, or since the store only answered as if. Not among those that were freed. */
  readonly keptBytes: number;
  /** True if more could be freed with a little more room. */
  readonly isFull: boolean;
}

export interface FreeOptions {
  /** Whether a person waives the days, which counts only where this computer is the only one that ever wrote. */
  readonly waivesDays: boolean;
  /** Milliseconds by which a listing may be late. */
  readonly pauseMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Files that nobody needs and that are deleted without a word in the ledgers. */
interface LeftFiles {
  /** Hashes of packs that interrupted backups of this computer have stored. */
  readonly interrupted: readonly Buffer[];
  readonly interruptedBytes: number;
  /** Files that repairs have moved aside and that nothing needs any more. */
  readonly damaged: readonly StoredFile[];
  readonly unfinished: readonly LeftOver[];
}

/** A pack that this computer has decided to delete, of which files are still there. */
interface DecidedPack {
  readonly hash: Buffer;
  readonly isLocked: boolean;
}

/** The state of a destination at one time. */
interface Look {
  readonly listing: LedgerListing;
  readonly waiting: WaitingPacks;
  /** Bytes of the files of packs, by their hashes. */
  readonly packs: ReadonlyMap<string, number>;
  /** Bytes of their parity, which may be missing, or be left of a pack that is gone. */
  readonly parity: ReadonlyMap<string, number>;
  readonly decided: readonly DecidedPack[];
  readonly isSole: boolean;
  readonly stoppedBy: 'damage' | 'alarm' | undefined;
}

/**
 * Frees what nobody needs, at once as far as other computers permit. The caller holds the home: no backup of it is under way.
 *
 * Nothing that a listed restore point needs is deleted, whoever joins meanwhile: docs/decisions/0330-freeing-now.md.
 */
export class FreeSpace {
  readonly #repository: Repository;
  readonly #trees: TreeSource;

  constructor(repository: Repository, trees: TreeSource) {
    this.#repository = repository;
    this.#trees = trees;
  }

  /**
   * Finds out what can be freed, and changes nothing.
   *
   * @throws HoldfastError `tree_invalid`, `chunk_*` if a tree cannot be read; what the storage throws
   */
  async plan(signal?: AbortSignal): Promise<FreePlan> {
    const { projection, reserve, parity, clock, storage } = this.#repository;
    const look = await this.#look(signal);
    const { isSole, stoppedBy } = look;
    const amounts = new FreedAmounts();
    const keepsDeleted = (await storage.kept?.areKept(signal)) ?? false;
    this.#addCondemned(amounts, look, true);
    const missing = stoppedBy || (await reserve.bytes(signal)) > 0 ? 0 : await reserve.size(signal);
    const { free: room = Number.POSITIVE_INFINITY } = (missing > 0 ? await storage.space?.(signal) : undefined) ?? {};
    const plan = (interruptedBytes: number, reason: Collected['stoppedBy'] = stoppedBy): FreePlan => {
      // Where it finds no room, all that is freed stays free.
      const reserveBytes = missing > room + amounts.now ? 0 : missing;
      return {
        isSole,
        others: this.#others(),
        nowBytes: stoppedBy ? 0 : Math.max(0, amounts.now - reserveBytes),
        interruptedBytes,
        reserveBytes,
        later: amounts.later,
        keepsDeleted,
        ...(reason && { stoppedBy: reason }),
      };
    };
    if (stoppedBy) return plan(0);
    const left = await this.#leftFiles(look, signal);
    amounts.add(left.interruptedBytes + sumOf(left.damaged) + sumOf(left.unfinished));
    if (look.waiting.mayComeBack()) return plan(left.interruptedBytes, 'loss');
    const live = new LiveChunks(this.#trees);
    await live.addAll(projection.points.all(), signal);
    const at = isSole ? undefined : clock.now() + CONDEMNED_FOR_MS;
    for (const pack of packsToCondemn(projection.packs, live.digests, choiceOptions(isSole))) {
      // What lives is copied at once, also where its pack goes later.
      amounts.add(-bytesAnew(pack, parity.percent));
      this.#addPack(amounts, pack.hash, { bytes: bytesOf(pack.hash, look), at });
    }
    return plan(left.interruptedBytes);
  }

  /**
   * Frees. Whatever happens in between, nothing that a restore point needs is gone, and the next call goes on.
   *
   * @throws as `plan`
   */
  async free({ waivesDays, pauseMs, signal }: FreeOptions): Promise<FreeReport> {
    const repository = this.#repository;
    const before = await this.#look(signal);
    const { kept: versions } = repository.storage;
    const keptBefore = (await versions?.bytes(signal)) ?? 0;
    let freedBytes = 0;
    let reserveBytes = 0;
    let collected: Collected | undefined;
    if (!before.stoppedBy) {
      freedBytes += await this.#deleteLeft(await this.#leftFiles(before, signal), before, signal);
      // The collection counts their parity.
      const decided = before.decided.filter(({ isLocked }) => !isLocked);
      freedBytes += decided.reduce((sum, { hash }) => sum + (before.packs.get(hash.toString('hex')) ?? 0), 0);
      const waiver = waivesDays && before.isSole ? { pauseMs } : undefined;
      const hadReserve = (await repository.reserve.bytes(signal)) > 0;
      collected = await new Collection(repository, this.#trees, { isAsked: true, waiver }, signal).run();
      freedBytes += collected.freedBytes - collected.writtenBytes;
      await repository.reserve.keep(signal);
      if (!hadReserve) reserveBytes = await repository.reserve.bytes(signal);
    }
    const amounts = new FreedAmounts();
    const after = await this.#look(signal);
    this.#addCondemned(amounts, { ...after, isSole: after.isSole && waivesDays }, false);
    const stoppedBy = before.stoppedBy ?? collected?.stoppedBy;
    const isTried = collected !== undefined && (stoppedBy === undefined || stoppedBy === 'loss');
    const kept = isTried ? after.decided.filter(({ isLocked }) => !isLocked) : [];
    const stillThere = kept.reduce((sum, { hash }) => sum + bytesOf(hash, after), 0);
    const keptAfter = (await versions?.bytes(signal)) ?? 0;
    const keptNow = stillThere + Math.max(0, keptAfter - keptBefore);
    return {
      isSole: before.isSole,
      others: this.#others(),
      freedBytes: Math.max(0, freedBytes - keptNow - reserveBytes),
      keptBytes: stillThere + keptAfter,
      keepsDeleted: keptAfter > 0 || ((await versions?.areKept(signal)) ?? false),
      reserveBytes,
      isFull: collected?.isFull === true,
      later: amounts.later,
      ...(stoppedBy && { stoppedBy }),
    };
  }

  /** Reads the ledgers and lists the packs. */
  async #look(signal: AbortSignal | undefined): Promise<Look> {
    const repository = this.#repository;
    const { projection } = repository;
    if (!projection.isUndamaged()) await repository.rebuild(signal);
    const listing = await repository.refreshForWriting(signal);
    const packs = await listedBytes(repository, leaveOut, signal);
    await this.#seeAgain(packs.keys(), signal);
    const isSole = isSoleWriter(repository, listing) && !hasForeignPacks(repository, packs.keys());
    const stoppedBy = isWhole(repository) ? (projection.points.alarms().length > 0 ? 'alarm' : undefined) : 'damage';
    const parity = new Map(
      [...(await repository.parity.list(undefined, signal))].map(([pack, of]) => [pack, sumOf(of)]),
    );
    const decided = this.#decided({ packs, parity });
    return { listing, waiting: new WaitingPacks(repository, listing), packs, parity, decided, isSole, stoppedBy };
  }

  /**
   * Decides anew about packs that this computer deleted and that are there again: a store did not delete them, or keeps what is deleted, or
   * somebody brought them back. A listing may be late, so each is read.
   */
  async #seeAgain(listed: Iterable<string>, signal: AbortSignal | undefined): Promise<void> {
    const { projection, storage, writerKey } = this.#repository;
    const decided = new Set(projection.packs.toBeDeleted(writerKey.id).map((hash) => hash.toString('hex')));
    for (const name of listed) {
      const hash = Buffer.from(name, 'hex');
      if (decided.has(name) || !projection.packs.isDeleted(hash)) continue;
      const found = await readIfReadable(storage, packName(name), { offset: 0, length: 1 }, signal);
      if (found !== undefined) projection.packs.markGone(hash, false);
    }
  }

  #others(): readonly string[] {
    const { projection, writerKey } = this.#repository;
    const others = projection.ledgers.writers().filter(({ id }) => id !== writerKey.id);
    return [...new Set(others.map(({ name }) => name))].toSorted();
  }

  /** Adds the packs that are condemned, and those that are only locked. */
  #addCondemned(amounts: FreedAmounts, look: Look, isPlan: boolean): void {
    const { projection, clock } = this.#repository;
    const { waiting } = look;
    for (const { hash } of look.decided) this.#addPack(amounts, hash, { bytes: bytesOf(hash, look), at: undefined });
    for (const pack of projection.packs.condemned()) {
      const waitsFor = look.isSole ? [] : waiting.unseenBy(pack);
      // By the store's clock, which only a new file shows: a plan writes none.
      const isOld = waiting.oldAt(pack) <= clock.now() && isPlan;
      const isDue = look.isSole || waiting.isOver(pack) || (isOld && waitsFor.length === 0);
      const at = isDue ? undefined : waiting.oldAt(pack);
      this.#addPack(amounts, pack.hash, { bytes: bytesOf(pack.hash, look), at, waitsFor });
    }
  }

  #addPack(amounts: FreedAmounts, hash: Buffer, { bytes, at, waitsFor = [] }: FreedPack): void {
    const until = this.#lockedUntil(hash);
    if (until > (at ?? 0)) amounts.addLater({ at: until, bytes, because: 'locked', waitsFor });
    else if (at === undefined) amounts.add(bytes);
    else amounts.addLater({ at, bytes, because: 'others', waitsFor });
  }

  #decided(files: Pick<Look, 'packs' | 'parity'>): readonly DecidedPack[] {
    const { projection, writerKey } = this.#repository;
    return projection.packs
      .toBeDeleted(writerKey.id)
      .filter((hash) => bytesOf(hash, files) > 0)
      .map((hash) => ({ hash, isLocked: this.#lockedUntil(hash) > 0 }));
  }

  /** The end of a pack's lock in milliseconds since the epoch; 0 if it has none, or none any more. */
  #lockedUntil(hash: Buffer): number {
    const { projection, storage } = this.#repository;
    const until = storage.locks ? projection.locks.until(packName(hash.toString('hex'))) : 0;
    return until > (storage.locks?.now() ?? 0) ? until : 0;
  }

  async #leftFiles(look: Look, signal: AbortSignal | undefined): Promise<LeftFiles> {
    const { isSole, listing } = look;
    const { projection, storage, ledger, clock } = this.#repository;
    const unfinishedPacks = projection.unfinishedPacks.all().map(({ hash }) => hash);
    // A segment that may still turn up could name them.
    const isSettled = lateSegments(ledger).every(({ isRefused }) => isRefused === true);
    const unreported = isSettled ? projection.packs.unreported().map(({ hash }) => hash) : [];
    const interrupted = [...unfinishedPacks, ...unreported];
    const interruptedBytes = interrupted.reduce((sum, hash) => sum + bytesOf(hash, look), 0);
    const damaged: StoredFile[] = [];
    for await (const batch of storage.list(DAMAGED_FOLDER, signal, leaveOut)) {
      for (const file of batch) if (!(await this.#isDamagedNeeded(file.name, signal))) damaged.push(file);
    }
    // Listings find unfinished files. Those of packs, parity and segments are listed before.
    for (const folder of [CHECKPOINTS_FOLDER, RESERVE_FOLDER]) {
      for await (const _batch of storage.list(folder, signal, leaveOut));
    }
    const newest = Math.max(0, ...[...listing.values()].flatMap((files) => files.map(({ created = 0 }) => created)));
    const unfinished = isSole
      ? storage.leftOvers?.olderThan(ABANDONED_ALONE, Math.max(newest, clock.now()))
      : storage.leftOvers?.olderThan(ABANDONED, newest);
    return { interrupted, interruptedBytes, damaged, unfinished: unfinished ?? [] };
  }

  /** A repair has moved packs aside that are damaged. Once they are there again, or deleted, nobody needs what is left of them. */
  async #isDamagedNeeded(name: string, signal: AbortSignal | undefined): Promise<boolean> {
    const pack = packHashIn(name.slice(DAMAGED_FOLDER.length).replace(/-\d+$/, ''));
    if (pack === undefined) return true;
    const { projection, storage } = this.#repository;
    if (projection.packs.isDeleted(Buffer.from(pack, 'hex'))) return false;
    return (await hashStored(storage, packName(pack), LARGEST_PACK_BYTES, signal)) !== pack;
  }

  async #deleteLeft(left: LeftFiles, { packs }: Look, signal: AbortSignal | undefined): Promise<number> {
    const repository = this.#repository;
    let bytes = await discardPacks(repository, left.interrupted, { signal, listed: packs });
    for (const file of left.damaged) if (await deleteUnlocked(repository, file.name, signal)) bytes += file.bytes;
    if (left.unfinished.length === 0) return bytes;
    await repository.storage.deleteLeftOvers?.(
      left.unfinished.map(({ path }) => path),
      signal,
    );
    return bytes + sumOf(left.unfinished);
  }
}

interface FreedPack {
  readonly bytes: number;
  /** When nobody counts on it any more; `undefined` if nobody does. */
  readonly at: number | undefined;
  readonly waitsFor?: readonly string[];
}

/** Bytes of the files of a pack. */
function bytesOf(hash: Buffer, { packs, parity }: Pick<Look, 'packs' | 'parity'>): number {
  const name = hash.toString('hex');
  return (packs.get(name) ?? 0) + (parity.get(name) ?? 0);
}

function sumOf(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
