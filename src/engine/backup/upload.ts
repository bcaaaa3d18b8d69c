import { BLOB_OVERHEAD, formatChunkHash } from '../../protocol/chunk.ts';
import type { DirtyPath } from '../catalog/dirty-paths.ts';
import type { CatalogEntries, SetRun } from '../catalog/entries.ts';
import type { TraversedEntry } from '../catalog/traverse.ts';
import { chunkCount, digestAt, sizeAt } from '../chunk/chunk-list.ts';
import { MAX_CHUNK } from '../chunk/fastcdc.ts';
import type { DigestSet } from '../chunk/digest-set.ts';
import { HoldfastError } from '../../base/errors.ts';
import { throwIfInterrupted, withGrace } from '../job/interruption.ts';
import type { BlobUploader, SealedBlob } from '../transfer/ports.ts';
import { InFlight } from '../../base/in-flight.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { changedFiles } from './delta-manifest.ts';
import { traverseFiles } from './manifest.ts';
import type { ChunkSource, SealChunksOutput } from './seal-chunks.ts';
import type { SpooledChunk } from './tree-spool.ts';

/** Plaintext bytes and chunks that one task seals and one upload carries; a single chunk may be larger. */
const BATCH_BYTES = 2 * 1024 * 1024;
const BATCH_CHUNKS = 512;
/** Plaintext bytes of a batch that no thread is worth starting for. */
const SMALL_BYTES = 128 * 1024;

/** Room for every batch: what it may hold before its last chunk, that chunk, and what sealing adds. */
const MEMORY_BYTES = BATCH_BYTES + MAX_CHUNK + BATCH_CHUNKS * BLOB_OVERHEAD;

/** A file whose content no longer is what the manifest says. */
export interface ChangedFile {
  readonly directory: number;
  readonly name: string;
  readonly path: string;
}

/** Where the chunks are found. */
export interface UploadSource {
  readonly entries: CatalogEntries;
  readonly run: SetRun;
  /** What changed since the newest restore point, where that is known. */
  readonly dirty?: readonly DirtyPath[];
}

export interface UploadObserver {
  /** Blobs that the storage has acknowledged. */
  onUploaded(chunks: number, plaintextBytes: number, blobBytes: number, path: string): void;
}

interface Batch {
  readonly sources: ChunkSource[];
  readonly digests: Buffer[];
  /** By index in `sources`; nothing for the reserved entries, which cannot change. */
  readonly owners: (ChangedFile | undefined)[];
  bytes: number;
}

/**
 * Uploads every chunk that the service asked for: each is found again in the file that holds it, read, checked against
 * its name, sealed and put.
 *
 * @param needed emptied as chunks are found
 * @returns the files that changed since they were read; their chunks are not stored under a wrong name
 * @throws HoldfastError `interrupted` after the chunks in flight; `service_*` and the like from the uploader
 */
export async function uploadNeeded(
  sessionId: string,
  needed: DigestSet,
  spooled: readonly SpooledChunk[],
  source: UploadSource,
  dependencies: { readonly pool: WorkerPool; readonly uploader: BlobUploader; readonly chunkSubKey: Uint8Array },
  observer: UploadObserver,
  signal: AbortSignal | undefined,
): Promise<readonly ChangedFile[]> {
  const upload = new Upload(sessionId, dependencies, observer, signal);
  try {
    for (const chunk of spooled) {
      if (needed.take(chunk.digest)) await upload.add(chunk, chunk.digest, undefined, chunk.envelope);
    }
    if (needed.size > 0) await addFiles(upload, needed, source);
  } finally {
    await upload.finish(signal);
  }
  // What nobody holds any more would be missed at complete; asking for it shows that the catalog and the service differ.
  if (needed.size > 0 && upload.changed.size === 0) {
    throw new HoldfastError('service_answer_suspicious', { problem: 'unknown-chunks-needed', chunks: needed.size });
  }
  return [...upload.changed.values()];
}

async function addFiles(upload: Upload, needed: DigestSet, { entries, run, dirty }: UploadSource): Promise<void> {
  // What is needed nearly always is in what changed; looking through all files costs as much as there are files.
  for (const file of dirty ? changedFiles(entries, run, dirty) : []) await addFile(upload, needed, file);
  if (needed.size === 0) return;
  for (const batch of traverseFiles(entries, run, undefined)) {
    for (const file of batch) await addFile(upload, needed, file);
    if (needed.size === 0) return;
  }
}

async function addFile(upload: Upload, needed: DigestSet, { path, directory, entry }: TraversedEntry): Promise<void> {
  const { chunks, name } = entry;
  if (!chunks) return;
  const count = chunkCount(chunks);
  let offset = 0;
  for (let index = 0; index < count; index += 1) {
    const digest = digestAt(chunks, index);
    const size = sizeAt(chunks, index);
    if (needed.take(digest)) await upload.add({ path, offset, size }, digest, { directory, name, path }, false);
    offset += size;
  }
}

class Upload {
  readonly changed = new Map<string, ChangedFile>();
  readonly #sessionId: string;
  readonly #pool: WorkerPool;
  readonly #uploader: BlobUploader;
  readonly #chunkSubKey: Uint8Array;
  readonly #observer: UploadObserver;
  readonly #signal: AbortSignal | undefined;
  readonly #flightSignal: AbortSignal | undefined;
  readonly #inFlight = new InFlight();
  /** Memory for blobs that is not in use; all threads share it, and fresh pages cost more than sealing into them. */
  readonly #memory: SharedArrayBuffer[] = [];
  #batch: Batch = newBatch();

  constructor(
    sessionId: string,
    dependencies: { readonly pool: WorkerPool; readonly uploader: BlobUploader; readonly chunkSubKey: Uint8Array },
    observer: UploadObserver,
    signal: AbortSignal | undefined,
  ) {
    this.#sessionId = sessionId;
    this.#pool = dependencies.pool;
    this.#uploader = dependencies.uploader;
    this.#chunkSubKey = dependencies.chunkSubKey;
    this.#observer = observer;
    this.#signal = signal;
    this.#flightSignal = withGrace(signal);
  }

  async add(
    { path, offset, size }: ChunkSource,
    digest: Buffer,
    owner: ChangedFile | undefined,
    envelope: boolean,
  ): Promise<void> {
    if (envelope) await this.#send();
    const batch = this.#batch;
    batch.sources.push({ path, offset, size });
    batch.digests.push(digest);
    batch.owners.push(owner);
    batch.bytes += size;
    if (envelope || batch.bytes >= BATCH_BYTES || batch.sources.length >= BATCH_CHUNKS) await this.#send(envelope);
  }

  async finish(signal: AbortSignal | undefined): Promise<void> {
    if (!signal?.aborted) await this.#send();
    await this.#inFlight.finish();
    throwIfInterrupted(signal);
  }

  async #send(envelope = false): Promise<void> {
    throwIfInterrupted(this.#signal);
    const batch = this.#batch;
    if (batch.sources.length === 0) return;
    this.#batch = newBatch();
    const limit = this.#pool.capacity + this.#uploader.concurrency;
    await this.#inFlight.start(limit, () => this.#sealAndPut(batch, envelope));
  }

  async #sealAndPut(batch: Batch, envelope: boolean): Promise<void> {
    const digests = Buffer.concat(batch.digests);
    const memory = this.#memory.pop() ?? new SharedArrayBuffer(MEMORY_BYTES);
    const input = {
      chunkSubKey: this.#chunkSubKey,
      sources: batch.sources,
      digests: detached(digests),
      envelope,
      memory,
    };
    const sealed =
      batch.bytes <= SMALL_BYTES
        ? await this.#pool.runSmall('sealChunks', input)
        : await this.#pool.run('sealChunks', input);
    await this.#put(batch, sealed);
    this.#memory.push(memory);
  }

  async #put(batch: Batch, sealed: SealChunksOutput): Promise<void> {
    for (const [index] of sealed.failures) {
      const owner = batch.owners[index];
      if (!owner) throw new HoldfastError('home_damaged', { file: batch.sources[index]!.path, problem: 'spool' });
      this.changed.set(owner.path, owner);
    }
    const blobs = blobsOf(batch.digests, sealed);
    if (blobs.length === 0) return;
    await this.#uploader.upload(this.#sessionId, blobs, this.#flightSignal);
    let plaintextBytes = 0;
    for (const [index, source] of batch.sources.entries()) {
      if (sealed.lengths[index]! > 0) plaintextBytes += source.size;
    }
    this.#observer.onUploaded(blobs.length, plaintextBytes, sealed.blobs.length, batch.sources.at(-1)!.path);
  }
}

function newBatch(): Batch {
  return { sources: [], digests: [], owners: [], bytes: 0 };
}

/** A message copies the whole memory behind a view, so what is sent must not be a view of a shared pool. */
function detached(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes);
}

function blobsOf(digests: readonly Buffer[], sealed: SealChunksOutput): SealedBlob[] {
  const blobs: SealedBlob[] = [];
  let offset = 0;
  for (const [index, digest] of digests.entries()) {
    const length = sealed.lengths[index]!;
    if (length === 0) continue;
    const hash = formatChunkHash(digest.toString('hex'));
    blobs.push({ hash, bytes: sealed.blobs.subarray(offset, offset + length) });
    offset += length;
  }
  return blobs;
}
