import type { ProjectionDatabase } from './schema.ts';

/** Where a blob is. */
export interface BlobLocation {
  readonly pack: number;
  /** Hex SHA-256 of the pack. */
  readonly packHash: string;
  readonly offset: number;
  readonly length: number;
  /** Bytes of the plaintext. */
  readonly size: number;
}

/** State of a pack that decides in which order copies of a blob are read. */
interface PackRow {
  readonly hash: Buffer;
  readonly lost: 0 | 1;
  readonly damaged: 0 | 1;
  readonly contested: 0 | 1;
}

type ChunkRow = Pick<BlobLocation, 'pack' | 'offset' | 'length' | 'size'>;

/** Finds the places of blobs in packs. */
export class BlobLocations {
  readonly #database: ProjectionDatabase;
  readonly #chunks;
  readonly #pack;
  readonly #isDamaged;

  constructor(database: ProjectionDatabase) {
    this.#database = database;
    this.#chunks = database.prepare<[Uint8Array], ChunkRow>(
      'SELECT pack, offset, length, size FROM chunk WHERE digest = ? ORDER BY pack DESC',
    );
    this.#pack = database.prepare<[number], PackRow>(
      'SELECT hash, lost, damaged, contested FROM pack WHERE number = ?',
    );
    this.#isDamaged = database
      .prepare<[Uint8Array, number], 0 | 1>('SELECT EXISTS (SELECT 1 FROM damaged_blob WHERE digest = ? AND pack = ?)')
      .pluck();
  }

  /**
   * Returns the places of each blob, the best first; also in condemned packs, whose files still exist, and at last in lost ones. One
   * transaction, and the row of each pack is read once: a join for each blob takes ten times as long.
   */
  locateAll(digests: readonly Uint8Array[]): readonly (readonly BlobLocation[])[] {
    return this.#database.transaction(() => {
      const packs = new Map<number, KnownPack | undefined>();
      const packOf = (number: number): KnownPack | undefined => {
        if (!packs.has(number)) packs.set(number, this.#readPack(number));
        return packs.get(number);
      };
      return digests.map((digest) => this.#locate(digest, packOf));
    })();
  }

  #locate(digest: Uint8Array, packOf: (number: number) => KnownPack | undefined): readonly BlobLocation[] {
    const chunks = this.#chunks.all(digest);
    const copies = chunks.flatMap((chunk) => {
      const pack = packOf(chunk.pack);
      if (!pack) return [];
      const isDamaged = chunks.length > 1 ? this.#isDamaged.get(digest, chunk.pack)! : 0;
      return [{ rank: pack.rank * 2 + isDamaged, location: { ...chunk, packHash: pack.hash } }];
    });
    // Stable: of equals, the pack with the highest number stays first.
    if (copies.length > 1) copies.sort((one, other) => one.rank - other.rank);
    return copies.map(({ location }) => location);
  }

  #readPack(number: number): KnownPack | undefined {
    const row = this.#pack.get(number);
    return row && { hash: row.hash.toString('hex'), rank: row.lost * 4 + row.damaged * 2 + row.contested };
  }
}

interface KnownPack {
  readonly hash: string;
  /** Smaller for a pack that is more likely to be readable. */
  readonly rank: number;
}
