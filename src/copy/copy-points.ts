import { isHoldfastError } from '../base/errors/errors.ts';
import type { RestorePoint } from '../protocol/extensions.ts';
import { formatTimestamp } from '../protocol/timestamp.ts';
import type { SeenTree } from '../catalog/history.ts';
import { throwIfInterrupted, unlessInterrupted } from '../jobs/interruption.ts';
import { listRestorePoints } from '../read/list.ts';
import { findListedPoint } from '../read/source/restore-point.ts';
import { isDataFailure, openTree, readTreeFooter } from '../read/source/tree.ts';
import type { DamagedPoints } from '../remote/ports.ts';
import { PointCopy, type CopiedPoint, type LostData } from './copy-point.ts';
import {
  identityOf,
  isOfSameRun,
  isPast,
  skipByTime,
  skipByTree,
  type ChainState,
  type TreeIdentity,
} from './missing-points.ts';
import type {
  CopyDependencies,
  CopyFailure,
  CopyOptions,
  CopyProgress,
  CopyReport,
  CopyRequest,
  CopySource,
  SkippedPoint,
  SkipReason,
} from './types.ts';

/**
 * Copies restore points from one destination to another, blob by blob, without reading the sources. A restore point of which
 * something is lost is named and not created. What an interrupted copy has stored is not copied again.
 *
 * @throws HoldfastError `interrupted`, and what the destinations throw
 */
export async function copyRestorePoints(
  request: CopyRequest,
  deps: CopyDependencies,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const copy = new Copy(deps, options);
  return await unlessInterrupted(options.signal, copy.run(request));
}

class Copy {
  readonly #deps: CopyDependencies;
  readonly #options: CopyOptions;
  #skipped: SkippedPoint[] = [];
  readonly #failures: CopyFailure[] = [];
  #pointsCopied = 0;
  #pointsMended = 0;
  #chunksCopied = 0;
  #progress: CopyProgress = {
    kind: 'copy',
    phase: 'comparing',
    set: '',
    pointsTotal: 0,
    pointsDone: 0,
    chunksTotal: 0,
    chunksDone: 0,
    bytesCopied: 0,
    waiting: undefined,
  };

  constructor(deps: CopyDependencies, options: CopyOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async run({ sets, latest }: CopyRequest): Promise<CopyReport> {
    const listed = new Map<string, readonly RestorePoint[]>();
    for (const set of sets) listed.set(set, await this.#pointsOf(this.#deps.from, set));
    const wanted = (points: readonly RestorePoint[]): readonly RestorePoint[] => (latest ? points.slice(-1) : points);
    this.#report({ pointsTotal: listed.values().reduce((sum, points) => sum + wanted(points).length, 0) });
    for (const [set, points] of listed) await this.#copySet(set, wanted(points), points);
    return {
      pointsCopied: this.#pointsCopied,
      pointsMended: this.#pointsMended,
      pointsSkipped: this.#skipped,
      chunksCopied: this.#chunksCopied,
      bytesCopied: this.#progress.bytesCopied,
      failures: this.#failures,
    };
  }

  /** The oldest first. */
  async #pointsOf({ deviceId, service, catalog }: CopySource, set: string): Promise<readonly RestorePoint[]> {
    try {
      const listed = await listRestorePoints({ deviceId, backupSet: set }, { service, catalog }, this.#options.signal);
      return listed.toReversed();
    } catch (error) {
      // A service does not know a set that was never backed up.
      if (isHoldfastError(error, 'service_error') && error.details.status === 404) return [];
      throw error;
    }
  }

  /**
   * @param points the oldest first
   * @param all of the set, also those that are not wanted
   */
  async #copySet(set: string, points: readonly RestorePoint[], all: readonly RestorePoint[]): Promise<void> {
    const { to } = this.#deps;
    const { signal } = this.#options;
    const damaged = await this.#damagedPoints(set);
    const stored = await this.#pointsOf(to, set);
    const capabilities = await to.service.capabilities(signal);
    const keepsTimes = !capabilities.has('backup.complete.time')
      ? 'none'
      : to.service.keepsPastTimes === true
        ? 'all'
        : 'new';
    const listedTimes = stored.map((point) => Date.parse(point.restore_point));
    const times = new Set(listedTimes.filter((time) => !damaged.unreadable.has(time)));
    const treeAt = this.#treesOf(this.#deps.to, set);
    const isPresent = oncePerSet(() => createdTimes(times, treeAt));
    const listed = new Set(all.map((point) => Date.parse(point.restore_point)));
    const own = [...times].filter((time) => !listed.has(time));
    const here = { times: listed, treeAt: this.#treesOf(this.#deps.from, set) };
    const isRepeated = (tree: TreeIdentity): Promise<boolean> => isOfSameRun(tree, { times: own, treeAt }, here);
    let previous = await this.#newestTree(set);
    let before: CopiedPoint | undefined;
    for (const point of points) {
      throwIfInterrupted(signal);
      this.#report({ phase: 'comparing', set, chunksTotal: 0, chunksDone: 0 });
      const state = { times, keepsTimes, previous } as const;
      const added = await this.#copyPoint(set, point, {
        state,
        before,
        isPresent,
        isRepeated,
        damaged,
      });
      this.#report({ pointsDone: this.#progress.pointsDone + 1 });
      if (!added) continue;
      before = added;
      if (added.newest.sequence > 0) previous = added.newest;
    }
    if (damaged.incomplete.size > 0 || damaged.unreadable.size > 0) await this.#countMended(set, damaged);
  }

  async #copyPoint(
    set: string,
    listed: RestorePoint,
    { state, before, isPresent, isRepeated, damaged }: SetState,
  ): Promise<CopiedPoint | undefined> {
    const { from, keys, clock } = this.#deps;
    const { signal } = this.#options;
    const reason = skipByTime(listed, state);
    const at = Date.parse(listed.restore_point);
    if (reason && !(reason === 'present' && damaged.incomplete.has(at))) return this.#skip(set, listed, reason);
    const source = { deviceId: from.deviceId, backupSet: set, at };
    const found = await findListedPoint(source, from, signal).catch((error: unknown) => {
      // Removed since it was listed.
      if (isHoldfastError(error, 'no_restore_point')) return undefined;
      throw error;
    });
    if (!found) return undefined;
    if (!found.treeChunks) return this.#skip(set, listed, 'no-tree');
    try {
      const reading = { downloader: from.downloader, keys: { ...keys, admits: from.admits }, clock };
      const tree = await openTree(source, found, reading, signal);
      const isInserted = isPast(listed, state) || (state.keepsTimes === 'all' && damaged.unreadable.has(at));
      const isRepeatedRun = state.keepsTimes === 'all' && (await isRepeated(identityOf(tree.footer)));
      const byTree = isInserted ? undefined : await skipByTree(tree.footer.created, state, isPresent);
      const skipped = reason ?? (isRepeatedRun ? 'present' : byTree);
      if (skipped && !(skipped === 'present' && damaged.incomplete.size > 0)) return this.#skip(set, listed, skipped);
      this.#report({ phase: 'copying' });
      const observer = {
        onNeeded: (chunksTotal: number): void => this.#report({ chunksTotal, chunksDone: 0 }),
        onCopied: (chunks: number, bytes: number): void => this.#count(chunks, bytes),
      };
      const copy = new PointCopy({ set, listed, found, tree, isPast: isInserted }, this.#deps, observer, signal);
      if (skipped) {
        // What it could not send, `#countMended` finds.
        await copy.mend(state.previous);
        return this.#skip(set, listed, skipped);
      }
      const outcome = await copy.run(state.previous, before);
      if ('run' in outcome) return this.#copied(set, outcome);
      return this.#fail(set, listed, outcome);
    } catch (error) {
      if (!isDataFailure(error)) throw error;
      if (reason) return this.#skip(set, listed, reason);
      const chunk = 'chunk' in error.details ? error.details.chunk : undefined;
      return this.#fail(set, listed, { reason: error.code, path: undefined, chunk });
    }
  }

  #copied(set: string, copied: CopiedPoint): CopiedPoint {
    const { deviceId, catalog } = this.#deps.to;
    const { run, newest, files, bytes } = copied;
    const { restore_point, completed_at, backup_id } = run;
    catalog.history.recordSeenTree(deviceId, set, newest);
    const point = { restore_point, completed_at, backup_id, files, bytes };
    catalog.history.recordRestorePoint(deviceId, set, point, newest.treeHash);
    this.#pointsCopied += 1;
    return copied;
  }

  /** Damage of the other destination; none if it does not say. */
  async #damagedPoints(set: string): Promise<DamagedPoints> {
    const { deviceId, service } = this.#deps.to;
    const found = await service.damagedPoints?.(deviceId, set, this.#options.signal);
    return found ?? { unreadable: new Set(), incomplete: new Set() };
  }

  /** Counts the restore points that lacked something before and no longer do, and names those that still do. */
  async #countMended(set: string, before: DamagedPoints): Promise<void> {
    const { incomplete, unreadable } = await this.#damagedPoints(set);
    const left = new Set([...incomplete, ...unreadable]);
    // An unreadable one was copied anew, and counts as copied.
    for (const time of before.incomplete) if (!left.has(time)) this.#pointsMended += 1;
    const named = new Set([...before.incomplete, ...left]);
    this.#skipped = this.#skipped.filter((point) => point.set !== set || !named.has(Date.parse(point.restorePoint)));
    for (const time of left) this.#skipped.push({ set, restorePoint: formatTimestamp(time), reason: 'damaged' });
  }

  #skip(set: string, { restore_point: restorePoint }: RestorePoint, reason: SkipReason): undefined {
    this.#skipped.push({ set, restorePoint, reason });
  }

  #fail(set: string, { restore_point: restorePoint }: RestorePoint, lost: LostData): undefined {
    this.#failures.push({ set, restorePoint, ...lost });
  }

  /** The newest tree at the other destination, as the next backup there finds it. */
  async #newestTree(set: string): Promise<SeenTree | undefined> {
    const { to, keys, clock } = this.#deps;
    const seen = to.catalog.history.seenTree(to.deviceId, set);
    if (seen) return seen;
    const { service, downloader, catalog } = to;
    const source = { deviceId: to.deviceId, backupSet: set, at: 'latest' } as const;
    const newest = await readTreeFooter(source, { service, downloader, catalog, keys, clock }, this.#options.signal);
    return newest?.footer;
  }

  /** Returns a reader of the trees at a destination, by the times of their restore points. Each is read once. */
  #treesOf(
    { deviceId, service, downloader, catalog, admits }: CopySource,
    set: string,
  ): (time: number) => Promise<TreeIdentity | undefined> {
    const { clock } = this.#deps;
    const keys = { ...this.#deps.keys, admits };
    const trees = new Map<number, Promise<TreeIdentity | undefined>>();
    const read = async (at: number): Promise<TreeIdentity | undefined> => {
      const source = { deviceId, backupSet: set, at };
      const deps = { service, downloader, catalog, keys, clock };
      const tree = await readTreeFooter(source, deps, this.#options.signal).catch((error: unknown) => {
        if (isDataFailure(error)) return undefined;
        throw error;
      });
      return tree && identityOf(tree.footer);
    };
    return (time) => {
      const known = trees.get(time) ?? read(time);
      trees.set(time, known);
      return known;
    };
  }

  #count(chunks: number, bytes: number): void {
    this.#chunksCopied += chunks;
    const { chunksDone, bytesCopied } = this.#progress;
    this.#report({ chunksDone: chunksDone + chunks, bytesCopied: bytesCopied + bytes });
  }

  #report(change: Partial<CopyProgress>): void {
    this.#progress = { ...this.#progress, ...change };
    this.#options.onProgress?.(this.#progress);
  }
}

interface SetState {
  readonly state: ChainState;
  /** The restore point that this run copied last. */
  readonly before: CopiedPoint | undefined;
  /** Returns whether the other destination has a tree of a time. */
  readonly isPresent: (created: number) => Promise<boolean>;
  /** Returns whether the other destination has a tree of the same run. */
  readonly isRepeated: (tree: TreeIdentity) => Promise<boolean>;
  /** Its restore points that lack something. A copy takes the place of each whose tree cannot be read. */
  readonly damaged: DamagedPoints;
}

/** Times of the trees of restore points. */
async function createdTimes(
  times: Iterable<number>,
  treeAt: (time: number) => Promise<TreeIdentity | undefined>,
): Promise<ReadonlySet<number>> {
  const created = new Set<number>();
  for (const time of times) {
    const tree = await treeAt(time);
    if (tree) created.add(tree.created);
  }
  return created;
}

/** Reads times when the first is looked up. */
function oncePerSet(read: () => Promise<ReadonlySet<number>>): (time: number) => Promise<boolean> {
  let times: Promise<ReadonlySet<number>> | undefined;
  return async (time) => (await (times ??= read())).has(time);
}
