import { hexDigestOf } from '../../../protocol/chunk.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { ErrorCode } from '../../../base/errors.ts';
import type { Plan } from './plan.ts';
import type { RestoreSource } from '../types.ts';

/**
 * Notes what the destination has under its name and is not that: chunks of files, and those of the tree and the envelope.
 * The next backup stores what they hold under other names. What is missing there is asked for by the service itself.
 *
 * @param damaged chunks (`sha256:…`) that the plan's failures may not name
 * @param hasOurKeys where that is known otherwise than by the tree
 */
export function recordDamagedChunks(
  { failures, hasTree }: Plan,
  { deviceId, backupSet }: RestoreSource,
  damaged: ReadonlyMap<string, ErrorCode>,
  hasOurKeys: boolean,
  catalog: Catalog,
): void {
  // Under wrong keys everything would look damaged. A tree that was seen before was made or opened with ours.
  if (!hasTree && !hasOurKeys && !catalog.history.seenTree(deviceId, backupSet)) return;
  const found = new Map(damaged);
  for (const { chunk, reason } of failures.named) if (chunk !== undefined) found.set(chunk, reason);
  const isDamage = ([, reason]: [string, ErrorCode]): boolean =>
    reason === 'chunk_tampered' || reason === 'chunk_corrupt';
  const chunks = [...found].filter(isDamage).map(([hash]) => Buffer.from(hexDigestOf(hash), 'hex'));
  if (chunks.length > 0) catalog.entries.damaged.record(chunks);
}
