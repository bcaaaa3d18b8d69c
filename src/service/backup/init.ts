import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import type { ChunkReference } from '../../protocol/chunk.ts';
import type { BackupInitResponseHead } from '../../protocol/backup.ts';
import { writeJsonArray } from '../../protocol/bodies/json-array-stream.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import type { BackupSession } from './store/session.ts';
import { inSlices } from './manifest/manifest-slices.ts';
import { requireRoomToGrow } from './room-to-grow.ts';
import { ManifestReader, manifestProblem } from './manifest/manifest-reader.ts';

/** Needed chunks that are read from the store at once. */
const PAGE = 2_000;

/**
 * Reads a manifest as it arrives, and returns a stream of the session with the chunks that it has to upload. The current tree does
 * not change before the session is completed. A refused manifest leaves no session.
 */
export async function initBackup(
  context: ServiceContext,
  caller: Caller,
  body: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  requireRoomToGrow(context);
  // Blobs that have arrived until now count as stored for this manifest.
  await context.intake.settle();
  const manifest = new ManifestReader(context, caller);
  try {
    for await (const bytes of inSlices(body)) await manifest.push(bytes);
    return writeResponse(context, await manifest.finish());
  } catch (error) {
    await manifest.abandon();
    throw manifestProblem(error);
  } finally {
    await manifest.close();
  }
}

function writeResponse(context: ServiceContext, session: BackupSession): AsyncIterable<Uint8Array> {
  const { chunksNeeded, chunksDeduped } = session.totals;
  const head: BackupInitResponseHead = {
    session_id: session.id,
    chunks_deduped: chunksDeduped,
    chunks_to_upload: chunksNeeded,
  };
  return writeJsonArray('chunks_needed', { ...head }, neededChunks(context, session));
}

async function* neededChunks(
  { metadata }: ServiceContext,
  session: BackupSession,
): AsyncGenerator<readonly ChunkReference[]> {
  let after = 0;
  for (;;) {
    const page = await metadata.chunks.needed(session, after, PAGE);
    if (page.length > 0) yield page.map(({ digest, size }) => ({ hash: formatChunkHash(digest), size }));
    if (page.length < PAGE) return;
    after = page.at(-1)!.ordinal;
  }
}
