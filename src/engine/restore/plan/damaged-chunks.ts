import type { ErrorCode } from '../../../base/errors/errors.ts';
import { hexDigestOf } from '../../../protocol/chunk-hash.ts';
import type { DestinationCatalog } from '../../catalog/catalog.ts';
import type { RestoreSource } from '../../job/job-request.ts';
import type { Plan } from './plan.ts';

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
 * Records in the catalog the chunks that the destination has damaged, so that the next backup stores their content under
 * other names. Missing chunks are not recorded: the service requests those itself.
 */
export function recordDamagedChunks(
  { failures, hasTree }: Plan,
  { deviceId, backupSet }: RestoreSource,
  catalog: DestinationCatalog,
  { damaged, replaced = new Set(), hasOurKeys = false }: DamageFound = {},
): void {
  // With the wrong keys everything would look damaged. A tree that was seen before was made or opened with ours.
  if (!hasTree && !hasOurKeys && !catalog.history.seenTree(deviceId, backupSet)) return;
  const found = new Map(damaged);
  for (const { chunk, reason } of failures.named) if (chunk !== undefined) found.set(chunk, reason);
  for (const chunk of replaced) found.set(chunk, 'chunk_corrupt');
  const chunks: Buffer[] = [];
  for (const [hash, reason] of found) {
    if (reason === 'chunk_tampered' || reason === 'chunk_corrupt') chunks.push(Buffer.from(hexDigestOf(hash), 'hex'));
  }
  if (chunks.length > 0) catalog.entries.damaged.record(chunks);
}
