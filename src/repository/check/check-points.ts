import { hash } from 'node:crypto';
import { KEYS_PATH } from '../../protocol/path.ts';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { chunkCount, digestAt } from '../../format/chunks/chunk-list.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import { envelopeFits, readEnvelope } from '../../format/crypto/key-envelope.ts';
import type { ListedPiece, VerifiedFooter } from '../../format/tree/record.ts';
import { TreeReader } from '../../format/tree/tree-reader.ts';
import { packName } from '../../format/repository/file-names.ts';
import type { BlobKind } from '../../format/repository/pack-file.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import type { Point } from '../projection/points.ts';
import type { Repository } from '../repository.ts';
import { footerIn } from './check-packs.ts';
import { BlobOpener } from '../restore/blob-opener.ts';
import { mendedCopiesOf, readCopy } from '../restore/copies-of.ts';
import { markCopyDamaged } from '../restore/mark-copy-damaged.ts';
import type { BlobCount, Findings, LostVersion } from './report.ts';

/** What a piece of a tree lacks. */
interface PieceLoss {
  readonly path: string;
  readonly entries?: number;
  readonly file: string | undefined;
  readonly version?: LostVersion;
}

/** Reads the trees of restore points and looks for every chunk that they need. */
export class PointCheck {
  readonly #repository: Repository;
  readonly #findings: Findings;
  readonly #opener: BlobOpener;
  /** By the digests of their chunks; trees share most of their pieces. */
  readonly #pieces = new Map<string, readonly PieceLoss[]>();
  readonly #continued = new Set<string>();
  /** Digests of the chunks of trees and of key envelopes that can be read. */
  readonly #metadata = new DigestSet();

  constructor(repository: Repository, findings: Findings) {
    this.#repository = repository;
    this.#findings = findings;
    this.#opener = new BlobOpener(repository);
  }

  /** Names of the trees that those of the restore points continue. */
  get continued(): ReadonlySet<string> {
    return this.#continued;
  }

  /** Counts the metadata of the restore points that can be read, but stands in fewer packs than it should. */
  inOnePack(): BlobCount {
    const { packs } = this.#repository.projection;
    const found = packs.metadataInTooFewPacks().filter((digest) => this.#metadata.has(digest));
    const lengths = packs.locateAll(found).map(([first]) => first?.length ?? 0);
    return { blobs: found.length, bytes: lengths.reduce((sum, length) => sum + length, 0) };
  }

  async run(point: Pick<Point, 'device' | 'set' | 'time' | 'tree' | 'envelope'>, signal?: AbortSignal): Promise<void> {
    if (point.envelope && !(await this.#isEnvelope(point.envelope, signal))) {
      this.#findings.addLoss(point, { path: KEYS_PATH, file: this.#fileThatLost(point.envelope) });
    }
    const plaintext = await this.#readMetadata(point.tree, 'tree', signal);
    const footer = plaintext && footerIn(plaintext, this.#repository.keys.tree);
    if (!footer) {
      this.#findings.addLoss(point, { path: undefined, file: this.#fileThatLost(point.tree) });
      return;
    }
    if (footer.previousTree !== undefined) this.#continued.add(footer.previousTree);
    for (const [index, piece] of footer.pieces.entries()) {
      signal?.throwIfAborted();
      for (const loss of await this.#lossesOf(footer, piece, index, signal)) this.#findings.addLoss(point, loss);
    }
  }

  /** Reads a chunk in all packs that have it, and marks the damaged copies. Returns an undamaged one, or else what parity gives. */
  async read(digest: Buffer, kind: BlobKind, signal?: AbortSignal): Promise<Buffer | undefined> {
    const locations = this.#repository.projection.packs.locate(digest);
    const copies = await Promise.all(
      locations.map(async (location) => {
        const bytes = await readCopy(this.#repository.storage, location, signal);
        const plaintext = bytes && this.#opener.open({ digest, kind }, bytes);
        // What is missing or too short, the check of the packs has found.
        if (bytes && !plaintext) await this.#markDamaged(digest, location, signal);
        return plaintext;
      }),
    );
    const sound = copies.find((plaintext) => plaintext !== undefined);
    if (sound) return sound;
    for await (const { location, bytes } of mendedCopiesOf(this.#repository, locations, signal)) {
      const plaintext = this.#opener.open({ digest, kind }, bytes);
      if (!plaintext) continue;
      this.#findings.markMendable(packName(location.packHash));
      return plaintext;
    }
    return undefined;
  }

  async #markDamaged(digest: Buffer, location: BlobLocation, signal: AbortSignal | undefined): Promise<void> {
    const name = markCopyDamaged(this.#repository, digest, location);
    if (name === undefined) return;
    this.#findings.add(name, 'hash');
    if (await this.#repository.parity.mend(location.packHash, signal)) this.#findings.markMendable(name);
  }

  async #readMetadata(digest: Buffer, kind: BlobKind, signal: AbortSignal | undefined): Promise<Buffer | undefined> {
    const plaintext = await this.read(digest, kind, signal);
    if (plaintext) this.#metadata.add(digest);
    return plaintext;
  }

  async #isEnvelope(digest: Buffer, signal: AbortSignal | undefined): Promise<boolean> {
    const bytes = await this.#readMetadata(digest, 'envelope', signal);
    if (!bytes) return false;
    try {
      return envelopeFits(readEnvelope(bytes), this.#repository.keys);
    } catch (error) {
      if (isHoldfastError(error)) return false;
      throw error;
    }
  }

  async #lossesOf(
    footer: VerifiedFooter,
    piece: ListedPiece,
    index: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly PieceLoss[]> {
    const id = hash('sha256', piece.chunks, 'hex');
    const known = this.#pieces.get(id);
    if (known) return known;
    const losses = await this.#readPiece(footer, piece, index, signal);
    this.#pieces.set(id, losses);
    return losses;
  }

  async #readPiece(
    footer: VerifiedFooter,
    { chunks, firstPath, records: entries }: ListedPiece,
    index: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly PieceLoss[]> {
    const plaintexts: Buffer[] = [];
    for (let at = 0; at < chunkCount(chunks); at += 1) {
      const digest = Buffer.from(digestAt(chunks, at));
      const plaintext = await this.#readMetadata(digest, 'tree', signal);
      if (!plaintext) return [{ path: firstPath, entries, file: this.#fileThatLost(digest) }];
      plaintexts.push(plaintext);
    }
    try {
      const { records, refused } = new TreeReader(footer).read(index, plaintexts);
      const losses: PieceLoss[] = refused.map((path) => ({ path: path ?? firstPath, file: undefined }));
      for (const record of records) {
        if (record.type !== 'file') continue;
        const lost = this.#firstLost(record.chunks);
        if (!lost) continue;
        const version = { size: record.size, mtimeNs: String(record.mtimeNs) };
        losses.push({ path: record.path, file: this.#fileThatLost(lost), version });
      }
      return losses;
    } catch (error) {
      if (isHoldfastError(error)) return [{ path: firstPath, entries, file: undefined }];
      throw error;
    }
  }

  #firstLost(chunks: Buffer): Buffer | undefined {
    const { packs } = this.#repository.projection;
    for (let at = 0; at < chunkCount(chunks); at += 1) {
      const digest = digestAt(chunks, at);
      if (!packs.isReadable(digest) && !this.#isMendable(digest)) return Buffer.from(digest);
    }
    return undefined;
  }

  #isMendable(digest: Uint8Array): boolean {
    const locations = this.#repository.projection.packs.locate(digest);
    return locations.some(({ packHash }) => this.#findings.isMendable(packName(packHash)));
  }

  #fileThatLost(digest: Buffer): string | undefined {
    const pack = this.#repository.projection.packs.packThatLost(digest);
    return pack && packName(pack.toString('hex'));
  }
}
