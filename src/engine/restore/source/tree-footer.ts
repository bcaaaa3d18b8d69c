import { readFooter } from '../../tree/footer.ts';
import type { VerifiedFooter } from '../../tree/record.ts';
import { openChunks, type ChunkDependencies } from '../chunks/open-chunks.ts';
import { findTreeEntry, type SourceDependencies } from './restore-point.ts';
import type { RestoreSource } from '../types.ts';
import { isHoldfastError } from '../../../base/errors.ts';

/** The newest that a device's set has, as far as its next tree has to know. */
export interface NewestTree {
  readonly footer: VerifiedFooter;
  /** Hex. */
  readonly treeHash: string;
  /** ISO 8601. */
  readonly restorePoint: string;
}

/**
 * Reads the end of the tree only. Nothing where there is no restore point, or one without a tree.
 *
 * @throws HoldfastError `chunk_*` and `tree_invalid` where the service does not give it, and all that the service throws
 */
export async function readTreeFooter(
  source: RestoreSource,
  deps: SourceDependencies & ChunkDependencies,
  signal?: AbortSignal,
): Promise<NewestTree | undefined> {
  const entry = await findTreeEntry(source, deps, signal).catch((error: unknown) => {
    if (isHoldfastError(error, 'no_restore_point')) return undefined;
    throw error;
  });
  const last = entry?.chunks?.at(-1);
  if (!entry || last === undefined) return undefined;
  const [plaintext] = await openChunks(entry.restoreSessionId, [last], deps, signal);
  const footer = readFooter(plaintext!, deps.keys.tree);
  return { footer, treeHash: footer.treeHash, restorePoint: entry.restorePoint };
}
