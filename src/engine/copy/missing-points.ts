import type { RestorePoint } from '../../protocol/extensions.ts';
import type { SeenTree } from '../catalog/history.ts';
import type { SkipReason } from './types.ts';

/** What the other destination has of a set. Times are milliseconds since the epoch. */
export interface ChainState {
  /** Times of its restore points. */
  readonly times: ReadonlySet<number>;
  /** True if copies keep their times there. */
  readonly keepsTimes: boolean;
  /** Its newest tree. */
  readonly previous: SeenTree | undefined;
}

/**
 * Returns why a restore point is not copied, as far as its time tells: if copies keep their times, one of the same time is its copy, and
 * one before the newest cannot be added.
 */
export function skipByTime({ restore_point: at }: RestorePoint, state: ChainState): SkipReason | undefined {
  if (!state.keepsTimes) return undefined;
  const time = Date.parse(at);
  if (state.times.has(time)) return 'present';
  return time < Math.max(0, ...state.times) ? 'older' : undefined;
}

/**
 * Returns why a restore point is not copied by the time of its tree, which has to be after that of the newest one.
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
