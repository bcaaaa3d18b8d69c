import { bufferOf } from '../../base/buffer-of.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import type { NewBlob, PackWriter } from '../backup/pack-writer.ts';
import { packName } from '../../format/repository/file-names.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import type { Repository } from '../repository.ts';
import { BlobOpener } from '../restore/blob-opener.ts';
import { copiesOf } from '../restore/copies-of.ts';
import { markCopyDamaged } from '../restore/mark-copy-damaged.ts';
import { planReads } from '../restore/plan-reads.ts';
import { readable, readStored } from '../../storage/read-stored.ts';
import { TreeFooters } from './tree-footers.ts';

/** What restore points need of their metadata. */
export interface NeededMetadata {
  /** Digests of what is needed in any case, as by a run that is about to end. */
  readonly own?: DigestSet;
  /** Restore points whose trees and key envelopes are needed. */
  readonly points: readonly { readonly tree: Uint8Array; readonly envelope: Uint8Array | null | undefined }[];
}

/**
 * Stores metadata once more that stands in fewer packs than it should, from a copy that opens: after a pack was lost, or a run was killed
 * between its packs. What has no such copy is left to the backup that has its content, which no longer counts on the damaged ones.
 *
 * @returns the number of blobs that were stored
 */
export async function storeSecondCopies(
  repository: Repository,
  writer: PackWriter,
  needed: NeededMetadata,
  signal?: AbortSignal,
): Promise<number> {
  const digests = await neededOf(repository, needed, signal);
  let stored = 0;
  for await (const blobs of readSound(repository, digests, signal)) stored += (await writer.add(blobs, signal)).length;
  if (stored > 0) await writer.flush(signal);
  return stored;
}

/** Returns what is needed of the metadata that stands in too few packs. In general no pack is missing, and no tree is read. */
async function neededOf(
  repository: Repository,
  { own, points }: NeededMetadata,
  signal: AbortSignal | undefined,
): Promise<readonly Buffer[]> {
  const needed: Buffer[] = [];
  const left = new DigestSet();
  for (const digest of repository.projection.packs.metadataInTooFewPacks()) {
    if (own?.has(digest) === true) needed.push(digest);
    else left.add(digest);
  }
  const footers = new TreeFooters(repository);
  for (const { tree, envelope } of points) {
    if (left.size === 0) break;
    signal?.throwIfAborted();
    const chunks = await footers.chunksOf(bufferOf(tree), signal);
    for (const digest of [tree, ...(envelope ? [envelope] : []), ...chunks]) {
      if (left.take(bufferOf(digest))) needed.push(bufferOf(digest));
    }
  }
  return needed;
}

interface PlacedMetadata {
  readonly digest: Buffer;
  readonly locations: readonly [BlobLocation, ...BlobLocation[]];
}

/** Yields the blobs of which a copy opens, neighbours by one read. */
async function* readSound(
  repository: Repository,
  digests: readonly Buffer[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NewBlob[]> {
  const { projection, storage } = repository;
  const opener = new BlobOpener(repository);
  const placed = projection.packs
    .locateAll(digests)
    .map((locations, index) => ({ digest: digests[index]!, locations }));
  for (const { packHash, offset, length, items } of planReads(
    placed.filter(isPlaced),
    ({ locations: [first] }) => first,
  )) {
    signal?.throwIfAborted();
    const read = await readable(readStored(storage, packName(packHash), { offset, length }, signal));
    const blobs: NewBlob[] = [];
    for (const { digest, locations } of items) {
      const [first] = locations;
      const start = first.offset - offset;
      const bytes = read?.subarray(start, start + first.length);
      const sound =
        bytes && opener.opens(digest, bytes)
          ? bytes
          : await anySound(repository, opener, { digest, locations }, signal);
      if (sound) blobs.push({ digest, bytes: sound, size: first.size, kind: projection.packs.kindOf(digest) });
    }
    yield blobs;
  }
}

function isPlaced(item: {
  readonly digest: Buffer;
  readonly locations: readonly BlobLocation[];
}): item is PlacedMetadata {
  return item.locations.length > 0;
}

/** Returns the first copy that opens. If there is none, no backup counts on these copies any more. */
async function anySound(
  repository: Repository,
  opener: BlobOpener,
  { digest, locations }: PlacedMetadata,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  for await (const { location, bytes, isMended } of copiesOf(repository, locations, signal)) {
    if (opener.opens(digest, bytes)) return bytes;
    if (!isMended) markCopyDamaged(repository, digest, location);
  }
  const { packs } = repository.projection;
  for (const { pack } of locations) packs.markBlobDamaged(digest, pack);
  return undefined;
}
