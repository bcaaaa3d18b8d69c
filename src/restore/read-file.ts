import { HoldfastError } from '../base/errors/errors.ts';
import type { RestoreSource } from '../model/restore-request.ts';
import { throwIfInterrupted } from '../jobs/interruption.ts';
import { fetchChunks } from '../read/chunks/fetch-chunks.ts';
import { wantedChunks, type WantedChunk } from '../read/chunks/wanted-chunks.ts';
import type { ReadDependencies } from '../read/types.ts';
import { PlanStore } from './record/plan-store.ts';
import { makePlan } from './plan/plan.ts';

/** Chunks that are fetched together: of the usual size, a few megabytes. */
const GROUP = 8;

export interface ReadFileRequest {
  readonly source: RestoreSource;
  /** Entry path. */
  readonly path: string;
  /** Bytes; a larger file is not read. */
  readonly most: number;
}

export interface FileContent {
  readonly size: number;
  /** `undefined` if the file is larger than requested. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

/** @param scratch an existing folder for the plan, which has no content of files */
export type ReadFileDependencies = ReadDependencies & { readonly scratch: string };

/**
 * Reads a file of a restore point into memory. Its chunks are proven by the tree, as in a restore.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` also for what is no file, `file_size_mismatch`, `tree_invalid`, `chunk_*`,
 *   and what the service throws
 */
export async function readFileContent(
  { source, path, most }: ReadFileRequest,
  deps: ReadFileDependencies,
  signal?: AbortSignal,
): Promise<FileContent> {
  using store = new PlanStore(deps.scratch);
  const plan = await makePlan({ source, paths: [path], dryRun: true }, store, deps, signal);
  const [work] = store.workInOrder();
  if (work?.path !== path || work.type !== 'file') throw new HoldfastError('path_not_found', { path });
  const { size } = work;
  if (size > most) return { size, bytes: undefined };
  const bytes = new Uint8Array(size);
  const chunks = wantedChunks(work, plan.sessions);
  let filled = 0;
  for (let from = 0; from < chunks.length; from += GROUP) {
    throwIfInterrupted(signal);
    for (const plaintext of await fetchGroup(chunks.slice(from, from + GROUP), deps, signal)) {
      if (filled + plaintext.length > size) throw new HoldfastError('file_size_mismatch', { path });
      bytes.set(plaintext, filled);
      filled += plaintext.length;
    }
  }
  if (filled !== size) throw new HoldfastError('file_size_mismatch', { path });
  return { size, bytes };
}

/** The chunks of one file have one session. */
function fetchGroup(
  chunks: readonly WantedChunk[],
  deps: ReadFileDependencies,
  signal: AbortSignal | undefined,
): Promise<readonly Buffer[]> {
  const { session } = chunks[0]!;
  return fetchChunks({ session, hashes: chunks.map(({ hash }) => hash) }, deps, signal);
}
