import pLimit from 'p-limit';
import { packHashIn, PACKS_FOLDER } from '../../format/repository/file-names.ts';
import { filesOf } from '../packs/confirm-packs.ts';
import { readIfSound, takePack } from '../packs/read-pack-end.ts';
import type { Repository } from '../repository.ts';
import type { Storage, StoredFile } from '../../storage/storage.ts';
import { leaveOut, type OnUnreadable } from '../../storage/unreadable.ts';
import { footersIn, type FoundFooter } from './check-packs.ts';
import { DAY, MINUTE } from '../../model/units.ts';

/** For so long a look counts while the repository is open. */
const LOOK_MS = MINUTE;
/** A store lists so many packs in a few requests, also one that lists folder by folder. */
const FEW_PACKS = 64;
/** The most packs that one look reads. */
const MOST_READ = 1_000;
/** A backup that has stored the end of its tree writes its segment meanwhile. */
const ENDING_MS = 1_000;

/**
 * Looks for trees in packs that no segment names: the segment of their restore points is lost, or their backup was killed at its very end.
 * Other packs without a segment have none. Each is read once, as far as its table and its chunks of trees go.
 *
 * Where a segment is known to be lost, what these packs contain counts as stored: listed restore points may need it.
 */
export class UnnamedTrees {
  readonly #repository: Repository;
  #looking: Promise<void> | undefined;
  #lookedAt = -Infinity;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /** Looks every time if the store lists at no cost or has few packs, else the first time and then once a day. */
  async lookIfDue(signal?: AbortSignal): Promise<void> {
    const { storage, projection, clock } = this.#repository;
    const now = clock.now();
    if (Math.abs(now - this.#lookedAt) < LOOK_MS) return;
    const isCheap = storage.listsAtNoCost === true || projection.packs.count() < FEW_PACKS;
    if (!isCheap && !projection.maintenance.isDue('look-for-trees', now, DAY)) return;
    this.#looking ??= this.#look(signal).finally(() => (this.#looking = undefined));
    await this.#looking;
    this.#lookedAt = now;
  }

  async #look(signal: AbortSignal | undefined): Promise<void> {
    const repository = this.#repository;
    const { storage, projection, clock } = repository;
    let hidden = 0;
    const onUnreadable: OnUnreadable = () => (hidden += 1);
    // Parity comes after its pack: one without it has lost it.
    const withParity = await repository.parity.list(undefined, signal);
    const packs = await packsIn(storage, signal, onUnreadable);
    projection.unnamedPacks.list(new Set([...packs, ...withParity.keys()]));
    const unread = projection.unnamedPacks.unread().map((hash) => hash.toString('hex'));
    const there = unread.filter((hash) => packs.has(hash));
    const found = there.length > 0 && (await this.#read(there, signal));
    // What was read now, a segment may name by now.
    if (found) {
      await clock.sleep(ENDING_MS, signal);
      await repository.refresh(signal);
    }
    repository.unreadPacks = hidden + Math.max(0, there.length - MOST_READ) + (unread.length - there.length);
    if (repository.unreadPacks === 0) projection.maintenance.done('look-for-trees', clock.now());
  }

  /** Reads packs, the newest first. Returns whether one has the end of a tree. */
  async #read(unread: readonly string[], signal: AbortSignal | undefined): Promise<boolean> {
    const { storage, projection } = this.#repository;
    const hashes = new Set(unread);
    const files: StoredFile[] = [];
    for await (const file of filesOf(storage, unread, signal, leaveOut)) {
      if (hashes.has(packHashIn(file.name) ?? '')) files.push(file);
    }
    files.sort((a, b) => (b.created ?? 0) - (a.created ?? 0));
    const limit = pLimit(storage.concurrency);
    const isLedgerLost = projection.ledgers.isIncomplete();
    const reading = files.slice(0, MOST_READ).map((file) => limit(() => this.#take(file, isLedgerLost, signal)));
    const found = await Promise.all(reading).finally(() => limit.clearQueue());
    return found.includes(true);
  }

  /** Records the trees in a pack, and what it contains if a segment may have named it. Returns whether it has the end of a tree. */
  async #take({ name, bytes }: StoredFile, isLedgerLost: boolean, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    const hash = packHashIn(name)!;
    const end = await readIfSound(this.#repository, hash, bytes, signal);
    // One that is damaged may be one that is being stored.
    if (!end) return false;
    const { projection } = this.#repository;
    if (isLedgerLost) projection.change(() => takePack(projection, Buffer.from(hash, 'hex'), end));
    return recordTrees(this.#repository, hash, await footersIn(this.#repository, hash, end, signal));
  }
}

/**
 * Records trees in a pack that no segment names. Somebody who was removed can make trees with the earlier keys: beside restore points that are listed,
 * these do not count. A repair offers them, and proves those that later trees continue.
 *
 * @param hash of the pack in hex
 * @returns whether a tree counts
 */
export function recordTrees({ projection, keys }: Repository, hash: string, footers: readonly FoundFooter[]): boolean {
  const isNothingListed = projection.points.isEmpty();
  const trees = footers.filter(({ footer }) => isNothingListed || footer.epoch >= keys.epoch).map(({ tree }) => tree);
  projection.unnamedPacks.recordTrees(Buffer.from(hash, 'hex'), trees);
  return trees.length > 0;
}

/** Lists the packs by name alone, if the store can do that. Returns their hashes in hex. */
async function packsIn(
  storage: Storage,
  signal: AbortSignal | undefined,
  onUnreadable: OnUnreadable,
): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  const add = (name: string): void => {
    const hash = packHashIn(name);
    if (hash !== undefined) hashes.add(hash);
  };
  if (storage.listNames) {
    for await (const names of storage.listNames(PACKS_FOLDER, signal, onUnreadable)) names.forEach(add);
  } else {
    for await (const batch of storage.list(PACKS_FOLDER, signal, onUnreadable)) batch.forEach(({ name }) => add(name));
  }
  return hashes;
}
