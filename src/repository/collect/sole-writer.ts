import { parseLedgerName } from '../../format/repository/file-names.ts';
import type { LedgerListing } from '../ledger/ledger-files.ts';
import type { Repository } from '../repository.ts';

/**
 * Returns whether no other computer has ever written to the ledgers, as far as they and a listing tell: nobody waits for what this
 * computer decides.
 */
export function isSoleWriter({ projection, writerKey, keyState }: Repository, listing: LedgerListing): boolean {
  const { ledgers } = projection;
  const writers = [
    ...listing.keys(),
    ...ledgers.writers().map(({ id }) => id),
    ...ledgers.unseenHeads().map(({ writer }) => writer),
    ...ledgers.damage().flatMap(({ file }) => parseLedgerName(file)?.writer ?? []),
    ...(keyState?.writers.keys() ?? []),
  ];
  return writers.every((writer) => writer === writerKey.id);
}

/**
 * Returns whether a pack is there that this computer does not know: another one has begun to store it, and has not written to its ledger
 * yet.
 *
 * @param listed the hashes of the packs that are there
 */
export function hasForeignPacks(
  { projection: { packs, unfinishedPacks } }: Repository,
  listed: Iterable<string>,
): boolean {
  const unfinished = new Set(unfinishedPacks.all().map(({ hash }) => hash.toString('hex')));
  for (const name of listed) {
    const hash = Buffer.from(name, 'hex');
    const isKnown = unfinished.has(name) || packs.numberOf(hash) !== undefined;
    if (!isKnown && !packs.isDeleted(hash) && !packs.isLost(hash)) return true;
  }
  return false;
}
