import type { Findings } from '../check/report.ts';
import { hashOf, missingParityName, packName, parityName } from '../../format/repository/file-names.ts';
import { LARGEST_PACK_BYTES } from '../../format/repository/pack-file.ts';
import type { Repository } from '../repository.ts';
import { restoreVersion } from '../locks/show-hidden.ts';
import { hashStored } from '../../storage/hash-stored.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import { UnlistedFiles, unreadableProblem } from '../../storage/unreadable.ts';
import { writeAnew } from './move-aside.ts';

/** A pack whose file has all of its bytes. */
export interface WholePack {
  readonly bytes: number;
  /** What was done: nothing, written again by its parity, or an earlier version made current. */
  readonly outcome: 'sound' | 'mended' | 'shown';
}

/**
 * Writes damaged packs again, as their parity gives them, or as an earlier version that the store has kept. Each damaged file is moved aside before, so whatever happens in between, its
 * bytes and the parity are there for the next repair. Where the store forbids deletion, a damaged file stays.
 *
 * @param packs hashes
 * @returns those that are whole, by their hashes
 */
export async function mendPacks(
  { parity, storage, projection }: Repository,
  packs: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, WholePack>> {
  const whole = new Map<string, WholePack>();
  for (const pack of packs) {
    signal?.throwIfAborted();
    const name = packName(pack);
    const isCovered = await restoreVersion(storage, name, signal);
    const bytes = isCovered
      ? await readIfReadable(storage, name, { offset: 0, length: LARGEST_PACK_BYTES }, signal)
      : await parity.mend(pack, signal);
    if (!bytes) continue;
    const isDamaged = !(await isSound(name, pack));
    if (isDamaged) {
      if ((await writeAnew(storage, name, bytes, signal)) === undefined) continue;
      if (!(await isSound(name, pack))) continue;
    }
    const outcome = isCovered ? 'shown' : isDamaged ? 'mended' : 'sound';
    whole.set(pack, { bytes: bytes.length, outcome });
    projection.change(() => {
      const number = projection.packs.numberOf(Buffer.from(pack, 'hex'));
      if (number !== undefined) {
        projection.packs.markDamaged(number, false);
        projection.packs.clearDamagedBlobs(number);
      }
      projection.ledgers.clearDamage(name);
    });
  }
  return whole;

  async function isSound(name: string, hash: string): Promise<boolean> {
    return (await hashStored(storage, name, LARGEST_PACK_BYTES, signal)) === hash;
  }
}

/**
 * Writes the parity of packs that have none, or a damaged one. Damaged parity is deleted only after its pack was proven to have the bytes
 * that its name says, from which it is computed again.
 *
 * @returns the parity files that were damaged or missing, with what became of them
 */
export async function renewParity(
  { parity, storage, projection }: Repository,
  findings: Findings,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, 'renewed' | 'kept'>> {
  const outcomes = new Map<string, 'renewed' | 'kept'>();
  if (parity.percent === 0) return outcomes;
  const unlisted = new UnlistedFiles();
  const files = await parity.list(undefined, signal, unlisted.add);
  for (const { hash, bytes: size } of projection.packs.stored()) {
    const pack = hash.toString('hex');
    const own = files.get(pack) ?? [];
    const damaged = own.filter(({ name }) => findings.has(name));
    if (own.length > 0 && damaged.length === 0) continue;
    // It may be there.
    if (unlisted.problemOf(missingParityName(pack)) !== undefined) continue;
    signal?.throwIfAborted();
    const bytes = await readIfReadable(storage, packName(pack), { offset: 0, length: size }, signal);
    if (!bytes || hashOf(bytes) !== pack) continue;
    for (const { name } of damaged) {
      const isDeleted = await deleteIfAllowed(name);
      outcomes.set(name, isDeleted ? 'renewed' : 'kept');
    }
    if (damaged.length < own.length) continue;
    const file = (await parity.encode(bytes))!;
    const isWritten = (await writeAnew(storage, parityName(pack, hashOf(file)), file, signal)) !== undefined;
    if (own.length === 0 && isWritten) outcomes.set(missingParityName(pack), 'renewed');
  }
  return outcomes;

  async function deleteIfAllowed(name: string): Promise<boolean> {
    try {
      await storage.delete(name, signal);
      return true;
    } catch (error) {
      if (unreadableProblem(error) !== undefined) return false;
      throw error;
    }
  }
}
