import { CHECKPOINTS_FOLDER, ledgerFileName } from '../../format/repository/file-names.ts';
import { batchesOf, listLedger, type LedgerParts } from '../ledger/ledger-files.ts';
import { readLedgerFile, readLedgers } from '../ledger/read-ledgers.ts';
import type { Projection } from '../projection/projection.ts';
import { ScratchProjection } from '../projection/scratch-projection.ts';
import type { Repository } from '../repository.ts';
import { UnlistedFiles } from '../../storage/unreadable.ts';
import type { Findings } from './report.ts';

export interface LedgerCheck {
  readonly segments: number;
  readonly checkpoints: number;
  readonly isProjectionSound: boolean;
}

/**
 * Reads and verifies every segment and checkpoint, and compares the projection with a fold of them from the beginning. What is
 * wrong is recorded in the projection; files that are sound again are forgotten there.
 *
 * @param scratch a file name that is free
 */
export async function checkLedger(
  repository: Repository,
  scratch: string,
  findings: Findings,
  signal?: AbortSignal,
): Promise<LedgerCheck> {
  const { projection, clock } = repository;
  const { ledgers } = projection;
  await repository.refresh(signal);
  using fresh = new ScratchProjection(scratch, repository.id);
  const parts = { ...repository.ledger, projection: fresh.projection };
  const { segments, checkpoints } = await readEverything(parts, signal);
  const isPackFile = (file: string): boolean => file.startsWith('packs/');
  for (const { file } of ledgers.damage()) if (!isPackFile(file)) ledgers.clearDamage(file);
  for (const { file, problem } of fresh.projection.ledgers.damage()) ledgers.recordDamage(file, problem, clock.now());
  // Only this projection remembers ledgers that were longer once.
  await repository.refresh(signal);
  const damage = [...fresh.projection.ledgers.damage(), ...ledgers.damage()].filter(({ file }) => !isPackFile(file));
  for (const { file, problem, isAccepted } of damage) if (!isAccepted) findings.add(file, problem);
  // What the ledgers lost stands in the projection alone.
  const isProjectionSound = projection.isUndamaged() && (damage.length > 0 || isSame(projection, fresh.projection));
  return { segments, checkpoints, isProjectionSound };
}

/** Reads also the files that a fold does not need. */
async function readEverything(
  parts: LedgerParts,
  signal: AbortSignal | undefined,
): Promise<{ readonly segments: number; readonly checkpoints: number }> {
  const { storage, projection } = parts;
  const segments = [...(await readLedgers(parts, signal)).values()].flat();
  const unlisted = new UnlistedFiles();
  const checkpoints = [...(await listLedger(storage, CHECKPOINTS_FOLDER, signal, unlisted.add)).values()].flat();
  for (const [name, problem] of unlisted.problems) projection.ledgers.recordDamage(name, problem, parts.clock.now());
  const read = new Set([
    ...projection.ledgers.damage().map(({ file }) => file),
    ...projection.ledgers.applied().map((segment) => ledgerFileName('ledger', segment, segment.hash)),
  ]);
  const unread = segments.filter(({ name }) => !read.has(name));
  const files = [...unread, ...checkpoints];
  for (const batch of batchesOf(files, storage.concurrency)) {
    await Promise.all(batch.map((file) => readLedgerFile(parts, file, signal)));
  }
  return { segments: segments.length, checkpoints: checkpoints.length };
}

const COMPARED = [
  'SELECT hex(hash) || bytes || hex(contents) FROM pack WHERE writer IS NOT NULL ORDER BY hash',
  `SELECT hex(id) || device || set_name || time || hex(tree) || hex(coalesce(envelope, '')) FROM live_point ORDER BY id`,
  'SELECT hex(id) FROM removed ORDER BY id',
] as const;

function isSame(one: Projection, other: Projection): boolean {
  return COMPARED.every((sql) => {
    const rows = one.database.prepare(sql).pluck().iterate();
    for (const expected of other.database.prepare(sql).pluck().iterate()) {
      const row = rows.next();
      if (row.done === true || row.value !== expected) return stop(rows);
    }
    return rows.next().done === true || stop(rows);
  });
}

/** Ends a query: a database with an open one can neither be changed nor closed. */
function stop(rows: IterableIterator<unknown>): false {
  rows.return?.();
  return false;
}
