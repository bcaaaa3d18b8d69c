import { madeAt } from '../base/point-time.ts';
import { DAY } from '../model/units.ts';

/** The facts about a restore point that tell whether its run lost files. */
export interface CountedPoint {
  /** Milliseconds since the epoch. Later runs have later ones. */
  readonly restorePoint: number;
  /**
   * When the run was completed, if that is known. It is earlier than `restorePoint` if that follows one from a clock that was ahead, and
   * later for a copy.
   */
  readonly completedAt?: number | undefined;
  /** Files that it contains, if that is known. */
  readonly files?: number | undefined;
}

/** A restore point has lost most files if it has less than this share of those before. Small sets often lose most. */
const REMAINING_SHARE = 0.5;
const FEWEST_FILES = 50;
/** After so long without them, the lost files are not expected any more. */
const EXPECTED_FOR_MS = 30 * DAY;

/** What a restore point is compared with. */
interface Compared<Point> {
  readonly isLossy: boolean;
  /** The last whole restore point before it. */
  readonly before: Point | undefined;
  /** The first one that lost the files of `before`; possibly itself. */
  readonly firstLossy: Point | undefined;
}

/** Tells which restore points lack most of the files of an earlier one. */
export class LossyRuns<Point extends CountedPoint> {
  readonly #compared: ReadonlyMap<Point, Compared<Point>>;

  constructor(oldestFirst: readonly Point[]) {
    this.#compared = comparedIn(oldestFirst);
  }

  has(point: Point): boolean {
    return this.#compared.get(point)?.isLossy === true;
  }

  /**
   * Returns the restore points without which some of those that are kept would be told otherwise: a loss would begin later, or be none. With them,
   * the same decision about what is kept keeps all of it.
   */
  witnessesOf(kept: ReadonlySet<Point>): ReadonlySet<Point> {
    const added = new Set<Point>();
    for (let isComplete = false; !isComplete;) {
      isComplete = true;
      const there = [...this.#compared.keys()].filter((point) => kept.has(point) || added.has(point));
      const compared = comparedIn(there);
      for (const point of there) {
        const now = compared.get(point)!;
        const { isLossy, before, firstLossy } = this.#compared.get(point)!;
        if (now.isLossy === isLossy && (!isLossy || now.firstLossy === firstLossy)) continue;
        for (const witness of [before, firstLossy]) {
          if (!witness || kept.has(witness) || added.has(witness)) continue;
          added.add(witness);
          isComplete = false;
        }
      }
    }
    return added;
  }
}

/** Compares the restore points whose files were counted, in their order. */
function comparedIn<Point extends CountedPoint>(oldestFirst: readonly Point[]): ReadonlyMap<Point, Compared<Point>> {
  const all = new Map<Point, Compared<Point>>();
  let before: Point | undefined;
  let firstLossy: Point | undefined;
  for (const point of oldestFirst) {
    const { files } = point;
    if (files === undefined) continue;
    const expected = before?.files ?? 0;
    const hasLost = expected >= FEWEST_FILES && files < expected * REMAINING_SHARE;
    const first: Point | undefined = hasLost ? (firstLossy ?? point) : undefined;
    const isLossy = first !== undefined && timeOf(point) - timeOf(first) < EXPECTED_FOR_MS;
    all.set(point, { isLossy, before, firstLossy: isLossy ? first : firstLossy });
    if (isLossy) firstLossy = first;
    else [before, firstLossy] = [point, undefined];
  }
  return all;
}

/** When a restore point was made. */
export function timeOf({ restorePoint, completedAt }: Pick<CountedPoint, 'restorePoint' | 'completedAt'>): number {
  return madeAt(restorePoint, completedAt);
}
