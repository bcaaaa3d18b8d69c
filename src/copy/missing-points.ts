import { createHash } from 'node:crypto';
import type { RestorePoint } from '../protocol/extensions.ts';
import type { SeenTree } from '../catalog/history.ts';
import type { VerifiedFooter } from '../format/tree/record.ts';
import type { SkipReason } from './types.ts';
import { MINUTE } from '../model/units.ts';

/** What the other destination has of a set. Times are milliseconds since the epoch. */
export interface ChainState {
  /** Times of its restore points. */
  readonly times: ReadonlySet<number>;
  /** How copies keep their times there: all of them, only those after the newest restore point, or not. */
  readonly keepsTimes: 'all' | 'new' | 'none';
  /** Its newest tree. */
  readonly previous: SeenTree | undefined;
}

/** A tree of the other destination, or of the one that is copied from. */
export interface TreeIdentity {
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** Equal for trees of the same pieces. */
  readonly pieces: string;
}

export function identityOf({ created, pieces }: VerifiedFooter): TreeIdentity {
  const digest = createHash('sha256');
  for (const { chunks } of pieces) digest.update(chunks);
  return { created, pieces: digest.digest('hex') };
}

/** One run that backs up to several destinations makes the trees of these within this time. */
const SAME_RUN_MS = 10 * MINUTE;

/**
 * Returns why a restore point is not copied, as far as its time tells: if copies keep their times, one of the same time is its copy. One
 * before the newest cannot be added everywhere.
 */
export function skipByTime({ restore_point: at }: RestorePoint, state: ChainState): SkipReason | undefined {
  if (state.keepsTimes === 'none') return undefined;
  const time = Date.parse(at);
  if (state.times.has(time)) return 'present';
  return state.keepsTimes === 'new' && time < newestOf(state) ? 'older' : undefined;
}

/** Returns whether a restore point is copied to before others. */
export function isPast({ restore_point: at }: RestorePoint, state: ChainState): boolean {
  return state.keepsTimes === 'all' && Date.parse(at) < newestOf(state);
}

/**
 * Returns why a restore point after all others is not copied by the time of its tree, which has to be after that of the newest one.
 *
 * @param created of the tree
 * @param isPresent whether the other destination has a tree of that time
 */
export async function skipByTree(
  created: number,
  { previous }: ChainState,
  isPresent: (created: number) => Promise<boolean>,
): Promise<SkipReason | undefined> {
  if (!previous || created > previous.created) return undefined;
  return created === previous.created || (await isPresent(created)) ? 'present' : 'older';
}

/** The restore points of a set at one destination. */
export interface KnownTrees {
  readonly times: Iterable<number>;
  /** Reads the tree of one; `undefined` if that cannot be read. */
  readonly treeAt: (time: number) => Promise<TreeIdentity | undefined>;
}

/**
 * Returns whether the other destination got a tree from the same run, whose restore point has a time of its own there. Several runs within
 * a short time may have found the same: each tree there is that of the nearest one only.
 *
 * @param there without those that were copied
 * @param here where the tree is
 */
export async function isOfSameRun(tree: TreeIdentity, there: KnownTrees, here: KnownTrees): Promise<boolean> {
  for await (const other of equalTrees(tree, tree.created, SAME_RUN_MS, there)) {
    const distance = Math.abs(other.created - tree.created);
    let isNearest = true;
    for await (const rival of equalTrees(tree, other.created, distance, here)) {
      const nearer = Math.abs(rival.created - other.created) - distance;
      // Of two that are equally near, the earlier one.
      isNearest &&= nearer > 0 || (nearer === 0 && rival.created >= tree.created);
    }
    if (isNearest) return true;
  }
  return false;
}

/** Yields trees of the same pieces that were made within `distance` of a time, in the order of their restore points. */
async function* equalTrees(
  { pieces }: TreeIdentity,
  created: number,
  distance: number,
  { times, treeAt }: KnownTrees,
): AsyncGenerator<TreeIdentity> {
  // A run makes its tree before its restore point, and ends before the next one begins.
  const later = [...times].filter((time) => time >= created - distance).toSorted((a, b) => a - b);
  for (const time of later) {
    const tree = await treeAt(time);
    if (!tree) continue;
    if (tree.created > created + distance) return;
    if (tree.created >= created - distance && tree.pieces === pieces) yield tree;
  }
}

function newestOf({ times }: ChainState): number {
  let newest = 0;
  for (const time of times) newest = Math.max(newest, time);
  return newest;
}
