import { randomBytes } from 'node:crypto';
import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import type { ChunkReference } from '../../protocol/chunk.ts';
import type { BackupFileEntry } from '../../protocol/backup.ts';
import type { DeltaEntry } from '../../protocol/extensions.ts';
import { isReservedPath, KEYS_PATH, TREE_PATH } from '../../protocol/path.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import { METADATA_COPIES } from '../../format/repository/pack-file.ts';
import type { PackWith } from '../projection/pack-lookup.ts';
import type { Projection } from '../projection/projection.ts';
import type { SetName } from '../projection/points.ts';
import type { PackWriter } from './pack-writer.ts';
import { digestOf } from '../../format/chunks/digest.ts';

/** Chunks that are passed on together, or more if files of one page of the manifest have more. */
const NEEDED_AT_ONCE = 1_000;

/** One backup run: compares a manifest with the chunks that are stored. It lives in memory only. */
export class BackupSession {
  readonly id = randomBytes(16).toString('hex');
  readonly set: SetName;
  /** Id of the restore point that the manifest is the differences from, in hex; `undefined` if it is complete. */
  base: string | undefined;
  /** Bytes that the writer had stored before this run. */
  readonly storedBefore: number;
  /** Digest of the tree's footer, and of the key envelope. */
  tree: Buffer | undefined;
  envelope: Buffer | undefined;
  readonly #projection: Projection;
  readonly #writer: PackWriter;
  /** Packs after this one were stored in this run. */
  readonly #lastPackBefore: number;
  #needed = new DigestSet();
  /** Chunks of the tree, and the key envelope. */
  #metadata = new DigestSet();
  readonly #packs = new Set<number>();
  #deduplicated = 0;
  #versions = 0;
  #versionBytes = 0;
  #newBytes = 0;
  #bytes = 0;

  constructor(set: SetName, projection: Projection, writer: PackWriter) {
    this.set = set;
    this.#projection = projection;
    this.#writer = writer;
    this.storedBefore = writer.storedBytes;
    this.#lastPackBefore = projection.packs.lastNumber();
  }

  get deduplicated(): number {
    return this.#deduplicated;
  }

  get needed(): number {
    return this.#needed.size;
  }

  /** Digests of the chunks of the tree, and of the key envelope. */
  get metadata(): DigestSet {
    return this.#metadata;
  }

  /**
   * Packs that the manifest counts on: those from before this run, and after `missing` also those that hold its new chunks and its
   * metadata.
   */
  get packs(): ReadonlySet<number> {
    return this.#packs;
  }

  /** Bytes of the manifest's files, and of those among them whose chunks are new in this run. */
  get totals(): { readonly bytes: number; readonly newBytes: number } {
    return { bytes: this.#bytes, newBytes: this.#newBytes };
  }

  /** Files with new content, with their bytes: the run's changes as far as the ransomware rules use them. */
  get changes(): { readonly versions: number; readonly bytes: number; readonly newBytes: number } {
    return { versions: this.#versions, bytes: this.#versionBytes, newBytes: this.#newBytes };
  }

  /** Takes the manifest, and passes on the chunks that have to be stored. */
  async takeManifest(
    entries: AsyncIterable<readonly (BackupFileEntry | DeltaEntry)[]>,
    onNeeded: (chunks: readonly ChunkReference[]) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    this.#needed = new DigestSet();
    this.#metadata = new DigestSet();
    this.#packs.clear();
    const seen = new DigestSet();
    let batch: ChunkReference[] = [];
    for await (const files of entries) {
      signal?.throwIfAborted();
      this.#takePage(files, seen, batch);
      if (batch.length < NEEDED_AT_ONCE) continue;
      onNeeded(batch);
      batch = [];
    }
    if (batch.length > 0) onNeeded(batch);
  }

  /** Chunks of the manifest that are not stored, or not in as many packs as they should be, at most `most`. */
  missing(most: number): string[] {
    const missing: string[] = [];
    const { packs } = this.#projection;
    packs.lookUp((packWith) => {
      for (const digest of this.#needed) {
        if (this.#metadata.has(digest)) continue;
        const pack = packWith(digest);
        if (pack === undefined) missing.push(nameOf(digest));
        else this.#packs.add(pack);
        if (missing.length === most) break;
      }
    });
    for (const digest of this.#metadata) {
      if (missing.length === most) break;
      const found = packs.packsWith(digest);
      if (found.length < METADATA_COPIES) missing.push(nameOf(digest));
      else for (const pack of found.slice(0, METADATA_COPIES)) this.#packs.add(pack);
    }
    return missing;
  }

  #takePage(files: readonly (BackupFileEntry | DeltaEntry)[], seen: DigestSet, batch: ChunkReference[]): void {
    this.#projection.packs.lookUp((packWith) => {
      for (const file of files) if (!('removed' in file)) this.#takeFile(file, packWith, seen, batch);
    });
  }

  #takeFile(
    { path, size, chunks }: BackupFileEntry,
    packWith: PackWith,
    seen: DigestSet,
    batch: ChunkReference[],
  ): void {
    const isReserved = isReservedPath(path);
    if (isReserved) this.#takeReserved(path, chunks);
    else this.#bytes += size;
    let hasNew = false;
    for (const chunk of chunks) {
      const digest = digestOf(chunk.hash);
      if (isReserved) this.#metadata.add(digest);
      if (seen.has(digest)) continue;
      seen.add(digest);
      const pack = packWith(digest);
      const isNew = pack === undefined || pack > this.#lastPackBefore;
      // `missing` finds those of the metadata.
      if (pack !== undefined && !isReserved) this.#packs.add(pack);
      if (pack !== undefined && !isNew) {
        this.#deduplicated += 1;
        continue;
      }
      if (!isReserved) {
        hasNew = true;
        this.#newBytes += chunk.size;
      }
      if (pack !== undefined) continue;
      this.#needed.add(digest);
      // Another run brings it; `missing` finds out whether it did.
      if (!this.#writer.isPending(digest)) batch.push(chunk);
    }
    if (!hasNew) return;
    this.#versions += 1;
    this.#versionBytes += size;
  }

  #takeReserved(path: string, chunks: readonly ChunkReference[]): void {
    const digest = (chunk: ChunkReference | undefined) => chunk && digestOf(chunk.hash);
    if (path === TREE_PATH) this.tree = digest(chunks.at(-1));
    if (path === KEYS_PATH) this.envelope = digest(chunks[0]);
  }
}

function nameOf(digest: Buffer): string {
  return formatChunkHash(digest.toString('hex'));
}
