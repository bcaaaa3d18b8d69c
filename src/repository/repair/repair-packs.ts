import { PackWriter } from '../backup/pack-writer.ts';
import type { UnnamedPack } from '../check/check-packs.ts';
import { storeSecondCopies, type NeededMetadata } from '../metadata/second-copies.ts';
import { readIfSound, readPackEnd, takePack } from '../packs/read-pack-end.ts';
import { BlobOpener } from '../restore/blob-opener.ts';
import { DamagedFileError } from '../../format/repository/damage.ts';
import { packHashIn, packName, PACKS_FOLDER } from '../../format/repository/file-names.ts';
import { LARGEST_PACK_BYTES, type PlacedBlob } from '../../format/repository/pack-file.ts';
import type { StoredPack } from '../projection/packs.ts';
import type { Repository } from '../repository.ts';
import { hashStored } from '../../storage/hash-stored.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import { leaveOut } from '../../storage/unreadable.ts';
import type { StoredFile } from '../../storage/storage.ts';
import { CLAIM_BYTES } from '../../storage/stored-name.ts';

/** Takes packs into the projection that no segment names; the next segment of this writer does. Returns those that are damaged. */
export async function adoptPacks(
  repository: Repository,
  unnamed: readonly UnnamedPack[],
  signal?: AbortSignal,
): Promise<{ readonly adopted: number; readonly damaged: readonly UnnamedPack[] }> {
  const { projection } = repository;
  const damaged: UnnamedPack[] = [];
  let adopted = 0;
  for (const pack of unnamed) {
    // It is being created on a store without links.
    if (pack.bytes <= CLAIM_BYTES && pack.isYoung) continue;
    try {
      const end = await readPackEnd(repository, pack.hash, pack.bytes, signal);
      const hash = Buffer.from(pack.hash, 'hex');
      projection.change(() => takePack(projection, hash, end));
      adopted += 1;
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      // Others have the right to read it.
      if (error.problem !== 'denied') damaged.push(pack);
    }
  }
  return { adopted, damaged };
}

/** Returns the packs that a repair gave up and whose files are there again, with every byte. */
export async function findLostPacks({ storage, projection }: Repository, signal?: AbortSignal): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for await (const batch of storage.list(PACKS_FOLDER, signal, leaveOut)) {
    for (const { name, bytes: size } of batch) {
      const hash = packHashIn(name);
      if (hash === undefined || size > LARGEST_PACK_BYTES || !projection.packs.isLost(Buffer.from(hash, 'hex')))
        continue;
      if ((await hashStored(storage, name, LARGEST_PACK_BYTES, signal)) === hash) found.push(Buffer.from(hash, 'hex'));
    }
  }
  return found;
}

/** Copies what can be read of damaged packs into new ones. */
export class PackRescue {
  readonly #repository: Repository;
  readonly #opener: BlobOpener;
  readonly #writer: PackWriter;
  #rescued = 0;

  constructor(repository: Repository) {
    const { storage, projection, repositoryKeys, id, parity } = repository;
    this.#repository = repository;
    this.#opener = new BlobOpener(repository);
    this.#writer = new PackWriter({ storage, projection, keys: repositoryKeys.pack, repository: id, parity });
  }

  /** Blobs that were copied. */
  get rescued(): number {
    return this.#rescued;
  }

  /** Copies what can be read of packs on which nothing counts any more. */
  async copyAll(packs: readonly StoredPack[], signal?: AbortSignal): Promise<void> {
    const { projection } = this.#repository;
    projection.change(() => packs.forEach(({ number }) => projection.packs.markDamaged(number)));
    for (const pack of packs) await this.copy(pack, signal);
  }

  async copy({ hash, blobs }: Pick<StoredPack, 'hash' | 'blobs'>, signal?: AbortSignal): Promise<void> {
    const { storage, parity } = this.#repository;
    const pack = hash.toString('hex');
    const length = Math.min(LARGEST_PACK_BYTES, Math.max(0, ...blobs.map((blob) => blob.offset + blob.length)));
    const read = { offset: 0, length };
    const bytes = (await parity.mend(pack, signal)) ?? (await readIfReadable(storage, packName(pack), read, signal));
    if (!bytes) return;
    const sound = await this.#opener.sound(blobs, bytes, signal);
    const added = await this.#writer.add(
      sound.map(({ blob: { digest, size, kind }, bytes: sealed }) => {
        return { digest: Buffer.from(digest), bytes: sealed, size, kind };
      }),
      signal,
    );
    this.#rescued += added.length;
  }

  /** Copies what restore points lack from files that are left over of deleted packs: one may have come back. */
  async copyLeftOver(files: readonly StoredFile[], signal?: AbortSignal): Promise<void> {
    const { packs } = this.#repository.projection;
    for (const { name, bytes } of files) {
      const hash = name.slice(-64);
      const end = await readIfSound(this.#repository, hash, bytes, signal);
      const lacking = end?.blobs.filter((blob: PlacedBlob) => !packs.isReadable(blob.digest)) ?? [];
      if (lacking.length > 0) await this.copy({ hash: Buffer.from(hash, 'hex'), blobs: lacking }, signal);
    }
  }

  /** Stores what was copied. */
  async finish(signal?: AbortSignal): Promise<void> {
    await this.#writer.flush(signal);
  }

  /** Stores the metadata of restore points once more that stands in one pack. Returns the number of blobs. */
  async storeSecondCopies(points: NeededMetadata['points'], signal?: AbortSignal): Promise<number> {
    return await storeSecondCopies(this.#repository, this.#writer, { points }, signal);
  }
}
