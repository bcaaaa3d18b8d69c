import { BLOB_OVERHEAD } from '../../../protocol/blob.ts';
import { formatChunkHash } from '../../../protocol/chunk-hash.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { InFlight } from '../../../base/limits/in-flight.ts';
import type { Compression } from '../../../model/compression.ts';
import type { DirtyPath } from '../../../catalog/entries/dirty-paths.ts';
import type { TraversedEntry } from '../../../catalog/entries/traverse.ts';
import { chunkCount, digestAt, sizeAt } from '../../../format/chunks/chunk-list.ts';
import type { DigestSet } from '../../../format/chunks/digest-set.ts';
import { MAX_CHUNK } from '../../chunk/cut/fastcdc.ts';
import type { ChunkSource, SealChunksOutput } from '../../chunk/seal-chunks.ts';
import { throwIfInterrupted, withGrace } from '../../../jobs/interruption.ts';
import type { BlobUploader, SealedBlob } from '../../../remote/ports.ts';
import type { BackupPool } from '../tasks.ts';
import type { CatalogRun } from '../catalog-run.ts';
import { changedFiles } from '../manifest/delta-manifest.ts';
import { traverseFiles } from '../manifest/manifest-entries.ts';
import type { SpooledChunk } from '../manifest/tree-spool.ts';
import type { ServiceProgress } from './service-progress.ts';
import type { UploadObserver } from './upload-observer.ts';
import type { BlobForm } from '../../../format/crypto/blob.ts';
import type { EpochKeys } from '../../../format/crypto/keys.ts';
import { KIB, MIB } from '../../../model/units.ts';

/** Plaintext bytes and chunks that one task seals and one upload carries; a single chunk may be larger. */
const BATCH_BYTES = 2 * MIB;
const BATCH_CHUNKS = 512;
/** Batches up to this size are sealed in this thread if no worker has started yet. */
const SMALL_BYTES = 128 * KIB;

/** Fits every batch: its bytes before the last chunk, that chunk, and the overhead of sealing. */
const BUFFER_BYTES = BATCH_BYTES + MAX_CHUNK + BATCH_CHUNKS * BLOB_OVERHEAD;

/** What became of the chunks that a service requested. */
export interface UploadedChunks {
  /** Files that changed since they were read; none of their chunks is stored under a wrong name. */
  readonly changed: readonly ChangedFile[];
  /** The number of requested chunks that the manifest does not have. */
  readonly unknown: number;
}

/** A file whose content no longer matches the manifest. */
export interface ChangedFile {
  readonly directory: number;
  readonly name: string;
  readonly path: string;
  /** The content that the manifest lists; chunk-list.ts. */
  readonly chunks: Buffer;
}

export interface ChunkUpload {
  readonly sessionId: string;
  /** Digests of the chunks to upload; emptied as they are found. */
  readonly needed: DigestSet;
  readonly spooled: readonly SpooledChunk[];
  readonly catalogRun: CatalogRun;
  /** Changes since the newest restore point, if they are known. */
  readonly dirty: readonly DirtyPath[] | undefined;
}

export interface ChunkUploadParts {
  readonly pool: BackupPool;
  readonly uploader: BlobUploader;
  readonly chunkSubKeys: EpochKeys;
  readonly compression: Compression;
  readonly form: BlobForm;
  readonly skipsOnline: boolean;
  readonly observer: UploadObserver;
  readonly progress: ServiceProgress;
  /** The path to read an entry's content from; its own by default. */
  readonly placeOf?: (path: string) => string;
  readonly signal: AbortSignal | undefined;
}

interface Batch {
  readonly sources: ChunkSource[];
  readonly digests: Buffer[];
  /** By index in `sources`; `undefined` for the reserved entries, which cannot change. */
  readonly owners: (ChangedFile | undefined)[];
  bytes: number;
}

/**
 * Uploads every chunk that the service requested: each is located in a file that holds it, read, checked against its
 * digest, sealed and uploaded.
 *
 * @throws HoldfastError `interrupted` after the chunks in flight; `service_*` and the like from the uploader
 */
export async function uploadNeededChunks(
  { sessionId, needed, spooled, catalogRun, dirty }: ChunkUpload,
  parts: ChunkUploadParts,
): Promise<UploadedChunks> {
  const batches = new BatchUploader(sessionId, parts);
  try {
    for (const chunk of spooled) {
      if (needed.take(chunk.digest)) await batches.add(chunk, chunk.digest, undefined);
    }
    if (needed.size > 0) await addFiles(batches, needed, catalogRun, dirty);
  } finally {
    await batches.finish();
  }
  // A chunk in no file is not in the manifest, which was made from the same files. Whether the rest suffices, complete decides.
  return { changed: [...batches.changed.values()], unknown: needed.size };
}

async function addFiles(
  batches: BatchUploader,
  needed: DigestSet,
  catalogRun: CatalogRun,
  dirty: readonly DirtyPath[] | undefined,
): Promise<void> {
  // Changed files nearly always hold all needed chunks. Traversing every file costs time proportional to their number.
  for (const file of dirty ? changedFiles(catalogRun, dirty) : []) await addFile(batches, needed, file);
  if (needed.size === 0) return;
  for (const files of traverseFiles(catalogRun, undefined)) {
    for (const file of files) await addFile(batches, needed, file);
    if (needed.size === 0) return;
  }
}

async function addFile(
  batches: BatchUploader,
  needed: DigestSet,
  { path, directory, entry }: TraversedEntry,
): Promise<void> {
  const { chunks, name } = entry;
  if (!chunks) return;
  const count = chunkCount(chunks);
  let offset = 0;
  for (let index = 0; index < count; index += 1) {
    const digest = digestAt(chunks, index);
    const size = sizeAt(chunks, index);
    if (needed.take(digest)) {
      await batches.add({ path, offset, size, kind: 'data' }, digest, { directory, name, path, chunks });
    }
    offset += size;
  }
}

/** Collects chunks into batches, seals each in a worker thread and uploads it. */
class BatchUploader {
  readonly changed = new Map<string, ChangedFile>();
  readonly #sessionId: string;
  readonly #parts: ChunkUploadParts;
  readonly #flightSignal: AbortSignal | undefined;
  readonly #inFlight = new InFlight();
  /** Free buffers for blobs. All threads share them, since fresh pages cost more than sealing into them. */
  readonly #buffers: SharedArrayBuffer[] = [];
  #batch: Batch = newBatch();

  constructor(sessionId: string, parts: ChunkUploadParts) {
    this.#sessionId = sessionId;
    this.#parts = parts;
    this.#flightSignal = withGrace(parts.signal);
  }

  async add({ path, offset, size, kind }: ChunkSource, digest: Buffer, owner: ChangedFile | undefined): Promise<void> {
    const batch = this.#batch;
    batch.sources.push({ path: this.#parts.placeOf?.(path) ?? path, offset, size, kind });
    batch.digests.push(digest);
    batch.owners.push(owner);
    batch.bytes += size;
    if (batch.bytes >= BATCH_BYTES || batch.sources.length >= BATCH_CHUNKS) await this.#send();
  }

  async finish(): Promise<void> {
    const { signal } = this.#parts;
    if (!signal?.aborted) await this.#send();
    await this.#inFlight.finish();
    throwIfInterrupted(signal);
  }

  async #send(): Promise<void> {
    const { pool, uploader, signal } = this.#parts;
    throwIfInterrupted(signal);
    const batch = this.#batch;
    if (batch.sources.length === 0) return;
    this.#batch = newBatch();
    await this.#inFlight.start(pool.capacity + uploader.concurrency, () => this.#sealAndUpload(batch));
  }

  async #sealAndUpload(batch: Batch): Promise<void> {
    const { pool, chunkSubKeys, compression, form, skipsOnline } = this.#parts;
    const memory = this.#buffers.pop() ?? new SharedArrayBuffer(BUFFER_BYTES);
    const input = {
      chunkSubKeys,
      sources: batch.sources,
      // A message copies the whole memory behind a view, so this must not be a view of a shared pool.
      digests: new Uint8Array(Buffer.concat(batch.digests)),
      compression,
      form,
      skipsOnline,
      memory,
    };
    const sealed =
      batch.bytes <= SMALL_BYTES ? await pool.runSmall('sealChunks', input) : await pool.run('sealChunks', input);
    await this.#upload(batch, sealed);
    this.#buffers.push(memory);
  }

  async #upload(batch: Batch, sealed: SealChunksOutput): Promise<void> {
    for (const [index] of sealed.failures) {
      const owner = batch.owners[index];
      if (!owner) throw new HoldfastError('home_damaged', { file: batch.sources[index]!.path, problem: 'spool' });
      this.changed.set(owner.path, owner);
    }
    const blobs = blobsOf(batch, sealed);
    if (blobs.length === 0) return;
    const { uploader, observer, progress } = this.#parts;
    const stored = await uploader.upload(this.#sessionId, blobs, this.#flightSignal);
    let plaintextBytes = 0;
    for (const [index, source] of batch.sources.entries()) {
      if (sealed.lengths[index]! > 0) plaintextBytes += source.size;
    }
    // A repository stores metadata twice. A service counts less after an answer that was lost.
    const blobBytes = Math.max(sealed.blobs.length, stored.bytes);
    progress.add(blobs.length, blobBytes);
    const path = batch.owners.at(-1) && batch.sources.at(-1)!.path;
    observer.onUploaded({ chunks: blobs.length, plaintextBytes, blobBytes, path });
  }
}

function newBatch(): Batch {
  return { sources: [], digests: [], owners: [], bytes: 0 };
}

function blobsOf({ digests, sources }: Batch, sealed: SealChunksOutput): SealedBlob[] {
  const blobs: SealedBlob[] = [];
  let offset = 0;
  for (const [index, digest] of digests.entries()) {
    const length = sealed.lengths[index]!;
    if (length === 0) continue;
    const hash = formatChunkHash(digest.toString('hex'));
    const { size, kind } = sources[index]!;
    blobs.push({ hash, bytes: sealed.blobs.subarray(offset, offset + length), size, kind });
    offset += length;
  }
  return blobs;
}
