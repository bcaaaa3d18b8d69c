import { createHash } from 'node:crypto';
import type { RestorePoint } from '../../protocol/extensions.ts';
import type { SeenTree } from '../catalog/history.ts';
import type { VerifiedFooter } from '../tree/record.ts';
import type { SkipReason } from './types.ts';

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
const SAME_RUN_MS = 10 * 60_000;

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

/**
 * Returns whether the other destination got a tree from the same run, whose restore point has a time of its own there.
 *
 * @param times of its restore points, without those that were copied
 * @param treeAt reads the tree of one; `undefined` if that cannot be read
 */
export async function isOfSameRun(
  tree: TreeIdentity,
  times: Iterable<number>,
  treeAt: (time: number) => Promise<TreeIdentity | undefined>,
): Promise<boolean> {
  // A run makes its tree before its restore point, and ends before the next one begins.
  const later = [...times].filter((time) => time >= tree.created - SAME_RUN_MS).toSorted((a, b) => a - b);
  for (const time of later) {
    const other = await treeAt(time);
    if (!other) continue;
    if (other.created > tree.created + SAME_RUN_MS) return false;
    if (other.created >= tree.created - SAME_RUN_MS && other.pieces === tree.pieces) return true;
  }
  return false;
}

function newestOf({ times }: ChainState): number {
  let newest = 0;
  for (const time of times) newest = Math.max(newest, time);
  return newest;
}
