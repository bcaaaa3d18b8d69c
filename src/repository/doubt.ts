import type { Projection } from './projection/projection.ts';

/** Why a list of restore points cannot be vouched for: newer or other ones may exist. */
export interface Doubt {
  /**
   * Segments and checkpoints that are damaged, missing or cannot be read here, and that no repair has made up for. What a removed computer wrote
   * later does not count: nothing is lost with it.
   */
  readonly ledgerFiles: number;
  /** Restore points that were found in packs and that no segment names. */
  readonly unnamedPoints: number;
  /** Packs and folders of packs without a segment that were not read. */
  readonly unreadPacks: number;
  /** True if the destination had lost the current key: an older copy may be in its place. */
  readonly isOlder: boolean;
}

/** What an earlier reading found, of which only that is remembered. */
export const EARLIER_DOUBT: Doubt = { ledgerFiles: 0, unnamedPoints: 0, unreadPacks: 0, isOlder: false };

/** Returns `undefined` if everything that was found is listed. */
export function doubtOf(
  { ledgers, unnamedPacks, points }: Projection,
  rest: Pick<Doubt, 'unreadPacks' | 'isOlder'>,
): Doubt | undefined {
  const ledgerFiles = ledgers
    .damage()
    .filter(
      ({ file, problem, isAccepted }) => !isAccepted && problem !== 'revoked' && !file.startsWith('packs/'),
    ).length;
  const unnamedPoints = unnamedPacks.trees().filter((tree) => !points.isTreeKnown(tree)).length;
  const isNone = ledgerFiles === 0 && unnamedPoints === 0 && rest.unreadPacks === 0 && !rest.isOlder;
  return isNone ? undefined : { ledgerFiles, unnamedPoints, ...rest };
}
