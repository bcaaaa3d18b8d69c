import type { ErrorCode } from '../../base/errors/errors.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import type { RestoreDependencies } from '../types.ts';
import type { Plan } from './plan.ts';
import { digestOf } from '../../format/chunks/digest.ts';

/** Findings of a verification that the plan's failures do not contain. */
export interface DamageFound {
  /** `sha256:…` to what is wrong, for chunks that the plan's failures may not name. */
  readonly damaged?: ReadonlyMap<string, ErrorCode>;
  /** `sha256:…` of chunks that are damaged there but were read elsewhere. */
  readonly replaced?: ReadonlySet<string> | undefined;
  /** True if something other than the tree proved that our keys are the account's. */
  readonly hasOurKeys?: boolean;
}

/**
 * Has the next backup store the content of the chunks that the destination has damaged: under their own names if the destination
 * takes them for missing, which brings earlier restore points back; otherwise under other names, for which the catalog records them.
 * Missing chunks are not recorded: the destination requests those itself.
 */
export async function recordDamagedChunks(
  { failures, hasTree }: Plan,
  { deviceId, backupSet }: RestoreSource,
  { catalog, service }: Pick<RestoreDependencies, 'catalog' | 'service'>,
  { damaged, replaced = new Set(), hasOurKeys = false }: DamageFound = {},
  signal?: AbortSignal,
): Promise<void> {
  // With the wrong keys everything would look damaged. A tree that was seen before was made or opened with ours.
  if (!hasTree && !hasOurKeys && !catalog.history.seenTree(deviceId, backupSet)) return;
  const found = new Map(damaged);
  for (const { chunk, reason } of failures.named) if (chunk !== undefined) found.set(chunk, reason);
  for (const chunk of replaced) found.set(chunk, 'chunk_corrupt');
  const digestsOf = (...reasons: readonly ErrorCode[]): readonly Buffer[] =>
    [...found].flatMap(([chunk, reason]) => (reasons.includes(reason) ? [digestOf(chunk)] : []));
  catalog.entries.damaged.forget(digestsOf('chunk_missing'));
  const chunks = digestsOf('chunk_tampered', 'chunk_corrupt');
  if (chunks.length === 0) return;
  if (service.markDamaged) await service.markDamaged(chunks, signal);
  else catalog.entries.damaged.record(chunks);
}
