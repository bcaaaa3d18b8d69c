import { HOUR, MINUTE } from '../model/units.ts';

/** Every run has to scan the set again, so uploads get at least this much time. */
const TURN = 5 * MINUTE;

/** Uploads that give way to each other get more. */
const LONG_TURN = HOUR;

/** Uploads that have sent no chunk get this long, and twice as long after each preemption that was fruitless. */
const PATIENCE = HOUR;
const MOST_DOUBLINGS = 8;

/** A destination that a backup has not ended at. */
export interface RemainingTarget {
  /** Its id. */
  readonly destination: string;
  /**
   * The end of reading, or when the run began to wait before reading, in milliseconds since the epoch. `undefined` while the set is
   * being read.
   */
  readonly readAt: number | undefined;
  /** True if it has stored chunks that it was sent after the end of reading. */
  readonly hasSent: boolean;
  /** True while the run waits for it, for instance because it cannot be reached. */
  readonly isWaiting: boolean;
}

export interface Laggard extends RemainingTarget {
  /** Consecutive preemptions before, without a chunk sent. */
  readonly fruitless: number;
}

/**
 * Decides whether a backup may be ended in favour of another that is due. Its next run continues, so it advances however often
 * that happens: never while the set is being read, and only once each of the remaining destinations has got chunks.
 *
 * @param laggards the destinations that it has not ended at
 * @param isTurn true if the backup that is due was preempted, too
 */
export function mayPreempt(laggards: readonly Laggard[], isTurn: boolean, now: number): boolean {
  return laggards.length > 0 && laggards.every((laggard) => hasHadItsTurn(laggard, isTurn, now));
}

function hasHadItsTurn({ readAt, hasSent, isWaiting, fruitless }: Laggard, isTurn: boolean, now: number): boolean {
  if (readAt === undefined) return false;
  if (isWaiting) return !isTurn || now - readAt >= LONG_TURN;
  const patience = PATIENCE * 2 ** Math.min(fruitless, MOST_DOUBLINGS);
  return now - readAt >= (hasSent ? (isTurn ? LONG_TURN : TURN) : patience);
}
