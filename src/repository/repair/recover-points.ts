import { chunkCount, digestAt } from '../../format/chunks/chunk-list.ts';
import type { VerifiedFooter } from '../../format/tree/record.ts';
import { TreeReader } from '../../format/tree/tree-reader.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { footerIn, type FoundFooter } from '../check/check-packs.ts';
import { PointCheck } from '../check/check-points.ts';
import { Findings } from '../check/report.ts';
import type { FactOf } from '../../format/repository/facts.ts';
import type { Repository } from '../repository.ts';

/** Bytes of a point's id. */
const ID_BYTES = 16;

/** Finds the footers of restore points that no ledger states, in all packs. Their MAC proves them. */
export async function findFooters(
  { projection, keys }: Repository,
  check: PointCheck,
  signal?: AbortSignal,
): Promise<readonly FoundFooter[]> {
  const found: FoundFooter[] = [];
  for (const digest of projection.packs.digestsOf('tree')) {
    if (projection.points.isTreeKnown(digest)) continue;
    signal?.throwIfAborted();
    const plaintext = await check.read(digest, 'tree', signal);
    const footer = plaintext && footerIn(plaintext, keys.tree);
    if (footer) found.push({ tree: digest, footer });
  }
  return found.toSorted((a, b) => a.footer.created - b.footer.created);
}

/** Footers whose restore points come back, and those that nothing but an earlier key proves. */
export interface DividedFooters {
  readonly proven: readonly FoundFooter[];
  readonly unproven: readonly FoundFooter[];
}

/**
 * Divides footers. Somebody who was removed has the keys of earlier epochs and may have stored backdated trees: one under such a key counts if a
 * later tree that counts continues it.
 *
 * @param continued names of the trees that those of the known restore points continue
 */
export function divideFooters(
  { keys }: Repository,
  footers: readonly FoundFooter[],
  continued: ReadonlySet<string>,
): DividedFooters {
  const names = new Set(continued);
  const isProven = ({ footer }: FoundFooter): boolean => footer.epoch >= keys.epoch || names.has(footer.treeHash);
  for (let count = -1; count !== names.size;) {
    count = names.size;
    for (const found of footers) if (isProven(found)) names.add(found.footer.previousTree ?? '');
  }
  return { proven: footers.filter(isProven), unproven: footers.filter((found) => !isProven(found)) };
}

/**
 * Returns the footers of backups that had completed, as far as is known. One that ended early, as at a full disk, may have stored its tree and not
 * all that the tree needs: it was never listed. Only the computer that made it knows that. What another one has made may lack packs that were lost.
 *
 * @param continued names of the trees that those of the known restore points continue
 */
export async function completedFooters(
  repository: Repository,
  footers: readonly FoundFooter[],
  { continued, isLedgerLost }: { readonly continued: ReadonlySet<string>; readonly isLedgerLost: boolean },
  signal?: AbortSignal,
): Promise<readonly FoundFooter[]> {
  if (isLedgerLost || !knowsItsOwnPoints(repository)) return footers;
  const previous = new Set([...continued, ...footers.flatMap(({ footer }) => footer.previousTree ?? [])]);
  const completed: FoundFooter[] = [];
  for (const found of footers) {
    const { deviceId, treeHash } = found.footer;
    const mayBeLost = deviceId !== repository.device.id || previous.has(treeHash);
    if (mayBeLost || (await hasEverything(repository, found, signal))) completed.push(found);
  }
  return completed;
}

/** Returns whether this computer has made all backups of its device, and not one before it. */
function knowsItsOwnPoints({ projection, device, writerKey }: Repository): boolean {
  return projection.ledgers.writers().every((writer) => writer.device !== device.id || writer.id === writerKey.id);
}

async function hasEverything(
  repository: Repository,
  { tree, footer }: FoundFooter,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const findings = new Findings();
  const point = { device: footer.deviceId, set: footer.backupSet, time: footer.created, tree, envelope: undefined };
  await new PointCheck(repository, findings).run(point, signal);
  return findings.lossesTotal === 0;
}

/** States a restore point again from its tree. Its time is that at which its backup began. */
export async function pointFrom(
  { projection }: Repository,
  { tree, footer }: FoundFooter,
  check: PointCheck,
  signal?: AbortSignal,
): Promise<FactOf<'point'>> {
  const { files, bytes } = await totalsOf(footer, check, signal);
  return {
    kind: 'point',
    // The same on every computer that repairs.
    id: tree.subarray(0, ID_BYTES),
    device: footer.deviceId,
    set: footer.backupSet,
    time: footer.created,
    tree,
    // All restore points of a repository have the key envelope of its one key.
    envelope: projection.packs.digestsOf('envelope').at(-1) ?? null,
    files,
    bytes,
    stored: 0,
  };
}

/** Files of a tree and their bytes, as far as its records can be read. */
async function totalsOf(
  footer: VerifiedFooter,
  check: PointCheck,
  signal: AbortSignal | undefined,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const reader = new TreeReader(footer);
  let files = 0;
  let bytes = 0;
  for (const [index, { chunks }] of footer.pieces.entries()) {
    const plaintexts: Buffer[] = [];
    for (let at = 0; at < chunkCount(chunks); at += 1) {
      const plaintext = await check.read(Buffer.from(digestAt(chunks, at)), 'tree', signal);
      if (plaintext) plaintexts.push(plaintext);
    }
    if (plaintexts.length < chunkCount(chunks)) continue;
    try {
      for (const record of reader.read(index, plaintexts).records) {
        if (record.type !== 'file') continue;
        files += 1;
        bytes += record.size;
      }
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
    }
  }
  return { files, bytes };
}
