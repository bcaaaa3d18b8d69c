import { subtle } from 'node:crypto';
import { bufferOf } from '../../base/buffer-of.ts';
import pLimit, { type LimitFunction } from 'p-limit';
import { BufferPool } from '../../base/limits/buffer-pool.ts';
import { InFlight } from '../../base/limits/in-flight.ts';
import { BLOB_OVERHEAD } from '../../protocol/blob.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import { packName } from '../../format/repository/file-names.ts';
import {
  copiesOfKind,
  decodeTable,
  encodePackEnd,
  encodeTable,
  type BlobKind,
  type PackedBlob,
} from '../../format/repository/pack-file.ts';
import type { PackParity } from '../parity/pack-parity.ts';
import type { PackWith } from '../projection/pack-lookup.ts';
import type { Projection } from '../projection/projection.ts';
import { isStored, notStored } from '../../storage/confirm-stored.ts';
import type { Storage } from '../../storage/storage.ts';
import { isOfOneFolder } from '../../storage/unreadable.ts';
import type { EpochKeys } from '../../format/crypto/keys.ts';
import { MIB } from '../../model/units.ts';

/** Bytes of blobs after which a pack is closed (docs/decisions/0098-repository.md). */
const PACK_BYTES = 16 * MIB;
const LARGEST_BLOB = 4 * MIB + BLOB_OVERHEAD;
const LARGEST_BUFFER = PACK_BYTES + LARGEST_BLOB;
/** A small run takes little memory: buffers grow fourfold as packs fill, up to the largest in three steps. */
const GROWTH = 4;
const SMALLEST_BUFFER = Math.ceil(LARGEST_BUFFER / GROWTH ** 3);
/** One pack is filled while others are written. */
const PACKS_IN_FLIGHT = 2;
/** Names under which a pack is stored before the store counts as one that cannot be written to. */
const MOST_ATTEMPTS = 4;

export interface NewBlob {
  /** 32 bytes. */
  readonly digest: Buffer;
  readonly bytes: Uint8Array;
  /** Bytes of the plaintext. */
  readonly size: number;
  readonly kind: BlobKind;
}

export interface PackWriterParts {
  readonly storage: Storage;
  readonly projection: Projection;
  /** `RepositoryKeys.pack` */
  readonly keys: EpochKeys;
  /** The repository's id. */
  readonly repository: string;
  readonly parity: PackParity;
}

/** Memory for one pack after the other. */
class PackMemory {
  bytes = Buffer.allocUnsafeSlow(SMALLEST_BUFFER);

  /** Makes room for so many bytes, and keeps the first `used`. */
  grow(needed: number, used: number): void {
    if (needed <= this.bytes.length) return;
    const grown = Math.min(LARGEST_BUFFER, GROWTH * this.bytes.length);
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, grown));
    this.bytes.copy(larger, 0, 0, used);
    this.bytes = larger;
  }
}

/**
 * Packs are filled with data, with metadata and with second copies of metadata. A small run stores its metadata behind its data, and the
 * second copies by themselves.
 */
type Lane = 'data' | 'meta' | 'copy';

/** In the order in which they are stored at the end of a run. */
const LANES: readonly Lane[] = ['data', 'meta', 'copy'];

/** A pack that is being filled. */
interface OpenPack {
  readonly memory: PackMemory;
  readonly blobs: PackedBlob[];
  used: number;
}

/** A pack that was stored, and whether the store has it. */
interface AskedPack {
  readonly digest: Buffer;
  readonly bytes: number;
  isThere: Promise<boolean> | undefined;
}

/**
 * Collects blobs into packs, metadata into two (`copiesOfKind`), and stores each pack, and then its parity, as soon as it is full. A pack that is
 * stored is recorded in the projection, so that a run that is killed loses nothing: the next segment names it.
 */
export class PackWriter {
  readonly #parts: PackWriterParts;
  readonly #buffers = new BufferPool(PACKS_IN_FLIGHT + LANES.length, () => new PackMemory());
  #inFlight = new InFlight();
  readonly #oneByOne = pLimit(1);
  readonly #open = new Map<Lane, OpenPack>();
  #pending = new DigestSet();
  #storedBytes = 0;
  readonly #stored: Buffer[] = [];
  /** What was stored since the last flush, and whether the store has it. */
  #asked: AskedPack[] = [];
  readonly #askInTurn: LimitFunction;

  readonly #isLeaving: (pack: number) => boolean;

  /** @param isLeaving whether a pack is about to be condemned: its blobs count as not stored */
  constructor(parts: PackWriterParts, isLeaving: (pack: number) => boolean = () => false) {
    this.#parts = parts;
    this.#isLeaving = isLeaving;
    this.#askInTurn = pLimit(parts.storage.concurrency);
  }

  /** Bytes of the packs that were stored. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** Hashes of the packs that were stored. */
  get stored(): readonly Buffer[] {
    return this.#stored;
  }

  /** Returns whether a blob waits for its pack to be stored. */
  isPending(digest: Buffer): boolean {
    return this.#pending.has(digest);
  }

  /**
   * Adds blobs. It waits while packs are being stored, but not for these: they are stored when `flush` resolves.
   *
   * @returns those that were not stored before, or in fewer packs than they should be
   */
  add(blobs: readonly NewBlob[], signal?: AbortSignal): Promise<readonly NewBlob[]> {
    return this.#oneByOne(async () => {
      const added: NewBlob[] = [];
      const lanes = this.#parts.projection.packs.lookUp((packWith) =>
        blobs.map((blob) => this.#lanesFor(blob, packWith)),
      );
      for (const [index, blob] of blobs.entries()) {
        // Of a pending one all copies are.
        if (lanes[index]!.length === 0 || this.#pending.has(blob.digest)) continue;
        this.#pending.add(blob.digest);
        for (const lane of lanes[index]!) await this.#append(lane, blob, signal);
        added.push(blob);
      }
      return added;
    });
  }

  /** Resolves when everything that was added is stored. After a failure nothing that was pending counts. */
  flush(signal?: AbortSignal): Promise<void> {
    return this.#oneByOne(async () => {
      this.#mergeOpenPacks();
      try {
        // The last pack has the end of a tree, which a repair takes for a restore point. What it refers to is stored before: a disk that is full
        // in between, but has space for the last one, leaves none with losses behind.
        await this.#inFlight.finish();
        for (const lane of LANES) {
          if (!this.#open.has(lane)) continue;
          await this.#close(lane, signal);
          await this.#inFlight.finish();
        }
        await this.#confirm(signal);
      } finally {
        this.#pending = new DigestSet();
        for (const { memory } of this.#open.values()) this.#buffers.release(memory);
        this.#open.clear();
        // One that failed would fail all later runs, too.
        this.#inFlight = new InFlight();
      }
    });
  }

  /** Returns a lane for each pack that a blob is missing from: a second copy never joins the first. */
  #lanesFor({ digest, kind }: NewBlob, packWith: PackWith): readonly Lane[] {
    const first = packWith(digest);
    if (kind === 'data' && first !== undefined && !this.#isLeaving(first)) return [];
    const packs = first === undefined ? [] : this.#parts.projection.packs.packsWith(digest);
    const missing = copiesOfKind(kind) - packs.filter((pack) => !this.#isLeaving(pack)).length;
    if (missing <= 0) return [];
    if (kind === 'data') return ['data'];
    return missing === 1 ? ['copy'] : ['meta', 'copy'];
  }

  async #append(lane: Lane, { digest, bytes, size, kind }: NewBlob, signal: AbortSignal | undefined): Promise<void> {
    if (bytes.length > LARGEST_BLOB) throw new RangeError(`a blob has at most ${LARGEST_BLOB} bytes`);
    let pack = this.#open.get(lane);
    if (!pack) {
      pack = { memory: await this.#buffers.acquire(), blobs: [], used: 0 };
      this.#open.set(lane, pack);
    }
    pack.memory.grow(pack.used + bytes.length, pack.used);
    // `set` takes five times as long for memory that threads share.
    bufferOf(bytes).copy(pack.memory.bytes, pack.used);
    pack.used += bytes.length;
    pack.blobs.push({ digest: Buffer.from(digest), length: bytes.length, size, kind });
    if (pack.used >= PACK_BYTES) await this.#close(lane, signal);
  }

  /** Small runs make one pack of data and metadata instead of two. */
  #mergeOpenPacks(): void {
    const data = this.#open.get('data');
    const meta = this.#open.get('meta');
    if (!data || !meta || data.used + meta.used > LARGEST_BUFFER) return;
    data.memory.grow(data.used + meta.used, data.used);
    data.memory.bytes.set(meta.memory.bytes.subarray(0, meta.used), data.used);
    data.used += meta.used;
    data.blobs.push(...meta.blobs);
    this.#buffers.release(meta.memory);
    this.#open.delete('meta');
  }

  async #close(lane: Lane, signal: AbortSignal | undefined): Promise<void> {
    const pack = this.#open.get(lane)!;
    this.#open.delete(lane);
    await this.#inFlight.start(PACKS_IN_FLIGHT, async () => {
      try {
        await this.#store(pack, signal);
      } finally {
        this.#buffers.release(pack.memory);
      }
    });
  }

  /** Stores a pack. Each attempt has another name, and so another folder, where those of one cannot be written to. */
  async #store(pack: OpenPack, signal: AbortSignal | undefined): Promise<void> {
    const table = encodeTable(pack.blobs);
    for (let attempts = 1; ; attempts += 1) {
      try {
        await this.#storeOnce(pack, table, signal);
        return;
      } catch (error) {
        if (!isOfOneFolder(error) || attempts === MOST_ATTEMPTS) throw error;
      }
    }
  }

  async #storeOnce({ memory, used }: OpenPack, table: Buffer, signal: AbortSignal | undefined): Promise<void> {
    const { storage, projection, keys, repository, parity } = this.#parts;
    const end = encodePackEnd(keys, repository, table);
    const bytes = used + end.length;
    // One part, which storages do not copy.
    memory.grow(bytes, used);
    memory.bytes.set(end, used);
    const pack = memory.bytes.subarray(0, bytes);
    // Computed by another thread: this one has the most to do when a run ends.
    const digest = Buffer.from(await subtle.digest('SHA-256', pack));
    const file = parity.encode(pack);
    // The pack may fail first.
    file.catch(() => undefined);
    const name = digest.toString('hex');
    // If this run ends before it counts on the pack, the next one goes on from there.
    projection.unfinishedPacks.begin(digest);
    try {
      await storage.put(packName(name), [pack], signal);
      if (parity.percent > 0) projection.unfinishedPacks.markStored(digest);
      // No segment names a pack without its parity: it is known from here on.
      await parity.put(name, await file, signal);
    } catch (error) {
      if (isOfOneFolder(error)) projection.change(() => projection.unfinishedPacks.end(digest));
      throw error;
    }
    projection.change(() => {
      projection.packs.add({ hash: digest, writer: undefined, contents: table }, decodeTable(table)!);
      projection.unfinishedPacks.end(digest);
    });
    this.#storedBytes += bytes;
    this.#stored.push(digest);
    this.#asked.push({ digest, bytes, isThere: this.#ask(digest, bytes, signal) });
  }

  /** Asks beside other work; `flush` waits for the answers. */
  #ask(digest: Buffer, bytes: number, signal: AbortSignal | undefined): Promise<boolean> {
    const name = packName(digest.toString('hex'));
    const isThere = this.#askInTurn(() => isStored(this.#parts.storage, name, bytes, signal));
    isThere.catch(() => undefined);
    return isThere;
  }

  /**
   * Waits until the store has said once more that it has the packs: what answered before need not be the store. Those that it does not have are forgotten, and the
   * next run stores their chunks again.
   */
  async #confirm(signal: AbortSignal | undefined): Promise<void> {
    const { projection, storage } = this.#parts;
    const asked = this.#asked;
    const missing: AskedPack[] = [];
    try {
      for (const pack of asked) {
        pack.isThere ??= this.#ask(pack.digest, pack.bytes, signal);
        if (!(await pack.isThere)) missing.push(pack);
      }
    } catch (error) {
      // The next run asks again.
      for (const pack of asked) pack.isThere = undefined;
      throw error;
    }
    this.#asked = [];
    if (missing.length === 0) return;
    projection.change(() => {
      for (const { digest } of missing) projection.packs.forgetUnreported(digest);
    });
    throw notStored(storage);
  }
}
