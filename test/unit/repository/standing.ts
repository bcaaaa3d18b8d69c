import { packHashIn, PACKS_FOLDER } from '../../../src/format/repository/file-names.ts';
import type { BlobKind } from '../../../src/format/repository/pack-file.ts';
import { readIfSound } from '../../../src/repository/packs/read-pack-end.ts';
import type { Repository } from '../../../src/repository/repository.ts';

/** A blob with the files that hold it, as their own tables say. */
export interface StandingBlob {
  readonly digest: string;
  readonly kind: BlobKind;
  readonly packs: readonly string[];
}

/**
 * Reads the tables of all packs in the store. Condemned packs and those that a repair gave up do not count: their files go.
 */
export async function standingBlobs(repository: Repository): Promise<ReadonlyMap<string, StandingBlob>> {
  const { storage, projection } = repository;
  const leaving = new Set(projection.packs.condemned().map(({ hash }) => hash.toString('hex')));
  const found = new Map<string, { digest: string; kind: BlobKind; packs: Set<string> }>();
  for await (const batch of storage.list(PACKS_FOLDER, undefined, undefined)) {
    for (const { name, bytes } of batch) {
      const hash = packHashIn(name);
      if (hash === undefined || leaving.has(hash) || projection.packs.isLost(Buffer.from(hash, 'hex'))) continue;
      for (const blob of (await readIfSound(repository, hash, bytes))?.blobs ?? []) {
        const digest = Buffer.from(blob.digest).toString('hex');
        const known = found.get(digest) ?? { digest, kind: blob.kind, packs: new Set() };
        known.packs.add(hash);
        found.set(digest, known);
      }
    }
  }
  return new Map([...found].map(([digest, { packs, ...blob }]) => [digest, { ...blob, packs: [...packs] }]));
}
