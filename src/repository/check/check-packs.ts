import { randomInt } from 'node:crypto';
import pLimit from 'p-limit';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { readFooter } from '../../format/tree/footer.ts';
import type { VerifiedFooter } from '../../format/tree/record.ts';
import { DamagedFileError, type DamageProblem } from '../../format/repository/damage.ts';
import { hashOf, packHashIn, packName, PACKS_FOLDER } from '../../format/repository/file-names.ts';
import { LARGEST_PACK_BYTES } from '../../format/repository/pack-file.ts';
import type { StoredPack } from '../projection/packs.ts';
import type { Repository } from '../repository.ts';
import { hashStored } from '../../storage/hash-stored.ts';
import type { StoredFile } from '../../storage/storage.ts';
import { UnlistedFiles, type UnreadableProblem } from '../../storage/unreadable.ts';
import { readable, readStored } from '../../storage/read-stored.ts';
import { readPackEnd, takePack, type PackEnd } from '../packs/read-pack-end.ts';
import { checkParity } from './check-parity.ts';
import { BlobOpener } from '../restore/blob-opener.ts';
import type { FileCount, Findings } from './report.ts';
import type { EpochKeys } from '../../format/crypto/keys.ts';
import { DAY } from '../../model/units.ts';

/** Packs without a segment are those of a running backup for so long, by the store's clock. */
const RUNNING_MS = 3 * DAY;

export interface PackCheckOptions {
  /** The share of packs that are read completely, chosen at random; `undefined` for none. */
  readonly percent: number | undefined;
  readonly onPack?: ((bytes: number) => void) | undefined;
}

/** A pack that no segment names. */
export interface UnnamedPack {
  readonly hash: string;
  readonly bytes: number;
  /** True if it may belong to a backup that is running. */
  readonly isYoung: boolean;
}

export interface PackCheck {
  readonly packs: FileCount;
  readonly packsRead: FileCount;
  readonly parity: FileCount;
  readonly unnamed: readonly UnnamedPack[];
  /** Folders of packs that cannot be listed. */
  readonly unlisted: ReadonlyMap<string, UnreadableProblem>;
  /** Hashes of packs of which only the parity is there, and that no segment names. */
  readonly orphans: readonly string[];
  readonly leftOver: readonly StoredFile[];
}

/** The footer of a restore point, found in a pack. */
export interface FoundFooter {
  readonly tree: Buffer;
  readonly footer: VerifiedFooter;
}

/**
 * Compares the packs that the ledger names with the files, their tables and, if chosen, all of their bytes. Backups no longer count
 * on what is damaged; what is sound again counts again.
 */
export async function checkPacks(
  repository: Repository,
  { percent, onPack }: PackCheckOptions,
  findings: Findings,
  signal?: AbortSignal,
): Promise<PackCheck> {
  const { projection, storage } = repository;
  // Parity comes after its pack.
  const unlisted = new UnlistedFiles();
  const unlistedParity = new UnlistedFiles();
  const parityFiles = await repository.parity.list(undefined, signal, unlistedParity.add);
  const files = await listPacks(repository, unlisted, signal);
  for (const { problems } of [unlistedParity, unlisted]) {
    for (const [name, problem] of problems) findings.add(name, problem);
  }
  projection.unnamedPacks.list(new Set([...files.keys(), ...parityFiles.keys()]));
  const orphans = projection.unnamedPacks
    .unread()
    .map((hash) => hash.toString('hex'))
    .filter((hash) => !files.has(hash));
  const check = new OnePackCheck(repository, findings, unlisted);
  const limit = pLimit(storage.concurrency);
  const running: Promise<void>[] = [];
  const count = { files: 0, bytes: 0 };
  const read = { files: 0, bytes: 0 };
  const named = [...projection.packs.stored()];
  const isParityRead = new Set<string>();
  for (const pack of named) {
    const hash = pack.hash.toString('hex');
    const file = files.get(hash);
    files.delete(hash);
    count.files += 1;
    count.bytes += pack.bytes;
    const isChosen = percent !== undefined && randomInt(1_000_000) < percent * 10_000;
    if (isChosen) {
      isParityRead.add(hash);
      read.files += 1;
      read.bytes += pack.bytes;
    }
    running.push(
      limit(async () => {
        signal?.throwIfAborted();
        await check.run(pack, file, isChosen, signal);
        onPack?.(pack.bytes);
      }),
    );
  }
  await Promise.all(running).finally(() => limit.clearQueue());
  const isRead = (hash: string): boolean => isParityRead.has(hash);
  const parity = await checkParity(repository, named, {
    files: parityFiles,
    unlisted: unlistedParity,
    isRead,
    findings,
    signal,
  });
  for (const hash of orphans) {
    if (!(await repository.parity.mend(hash, signal))) continue;
    findings.add(packName(hash), 'missing');
    findings.markMendable(packName(hash));
  }
  const others = [...files];
  const isLeftOver = ([name]: [string, StoredFile]): boolean => {
    const hash = Buffer.from(name, 'hex');
    return projection.packs.isDeleted(hash) || projection.packs.isLost(hash);
  };
  const newest = others.reduce((time, [, { created = 0 }]) => Math.max(time, created), repository.clock.now());
  return {
    packs: count,
    packsRead: read,
    parity,
    orphans,
    unlisted: unlisted.problems,
    unnamed: others
      .filter((entry) => !isLeftOver(entry))
      .map(([hash, { bytes, created = 0 }]) => ({ hash, bytes, isYoung: newest - created < RUNNING_MS })),
    leftOver: others.filter(isLeftOver).map(([, file]) => file),
  };
}

/** The files of packs, by their hashes. */
async function listPacks(
  { storage }: Repository,
  unlisted: UnlistedFiles,
  signal?: AbortSignal,
): Promise<Map<string, StoredFile>> {
  const files = new Map<string, StoredFile>();
  for await (const batch of storage.list(PACKS_FOLDER, signal, unlisted.add)) {
    for (const file of batch) {
      const hash = packHashIn(file.name);
      if (hash !== undefined) files.set(hash, file);
    }
  }
  return files;
}

class OnePackCheck {
  readonly #repository: Repository;
  readonly #findings: Findings;
  readonly #unlisted: UnlistedFiles;
  readonly #opener: BlobOpener;

  constructor(repository: Repository, findings: Findings, unlisted: UnlistedFiles) {
    this.#repository = repository;
    this.#findings = findings;
    this.#unlisted = unlisted;
    this.#opener = new BlobOpener(repository);
  }

  async run(
    pack: StoredPack,
    file: StoredFile | undefined,
    isRead: boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const name = packName(pack.hash.toString('hex'));
    const { ledgers, packs } = this.#repository.projection;
    try {
      if (!file) throw new DamagedFileError(name, this.#unlisted.problemOf(name) ?? 'missing');
      const end = await readPackEnd(this.#repository, pack.hash.toString('hex'), file.bytes, signal);
      if (!end.table.equals(pack.contents)) return await this.#takeTable(pack, end, signal);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      if (error.problem === 'missing' && (await this.#isGone(pack, signal))) return;
      packs.markDamaged(pack.number);
      const isOfOtherLength = file !== undefined && file.bytes !== pack.bytes;
      await this.#record(pack, isOfOtherLength ? 'length' : error.problem, signal);
      return;
    }
    packs.markDamaged(pack.number, false);
    if (isRead) await this.#read(pack, name, signal);
    // Only reading everything shows that damaged blobs are sound again.
    else if (ledgers.damage().some((damage) => damage.file === name && damage.problem === 'hash')) {
      await this.#record(pack, 'hash', signal);
    } else ledgers.clearDamage(name);
  }

  /** Takes the table of a pack that has the bytes that its name says: what ledgers state of it is then wrong. */
  async #takeTable(pack: StoredPack, end: PackEnd, signal: AbortSignal | undefined): Promise<void> {
    const { projection, storage } = this.#repository;
    const name = packName(pack.hash.toString('hex'));
    const hash = await hashStored(storage, name, LARGEST_PACK_BYTES, signal);
    if (hash !== pack.hash.toString('hex')) throw new DamagedFileError(name, 'content');
    projection.change(() => {
      takePack(projection, pack.hash, end);
      projection.packs.markDamaged(pack.number, false);
      projection.ledgers.clearDamage(name);
    });
  }

  /** Returns whether a missing file is no loss: a collector deleted it meanwhile, or no segment names it. */
  async #isGone({ number, hash, writer }: StoredPack, signal: AbortSignal | undefined): Promise<boolean> {
    const { packs } = this.#repository.projection;
    if (writer === undefined) packs.forgetUnreported(hash);
    else await this.#repository.refresh(signal);
    return packs.find(number) === undefined;
  }

  async #read(pack: StoredPack, name: string, signal: AbortSignal | undefined): Promise<void> {
    const { storage, projection } = this.#repository;
    const bytes = await readable(readStored(storage, name, { offset: 0, length: LARGEST_PACK_BYTES }, signal));
    const sound = bytes ? await this.#opener.sound(pack.blobs, bytes, signal) : [];
    const opened = new Set(sound.map(({ blob }) => blob));
    const isWhole = bytes !== undefined && hashOf(bytes) === pack.hash.toString('hex');
    projection.change(() => {
      projection.packs.clearDamagedBlobs(pack.number);
      for (const blob of pack.blobs) {
        if (!opened.has(blob)) projection.packs.markBlobDamaged(blob.digest, pack.number);
      }
      if (isWhole && opened.size === pack.blobs.length) projection.ledgers.clearDamage(name);
    });
    if (!isWhole || opened.size < pack.blobs.length) await this.#record(pack, 'hash', signal);
  }

  async #record({ hash }: StoredPack, problem: DamageProblem, signal: AbortSignal | undefined): Promise<void> {
    const { projection, parity, clock } = this.#repository;
    const name = packName(hash.toString('hex'));
    projection.ledgers.clearDamage(name);
    projection.ledgers.recordDamage(name, problem, clock.now());
    this.#findings.add(name, problem);
    if (await parity.mend(hash.toString('hex'), signal)) this.#findings.markMendable(name);
  }
}

/** Reads the footers of restore points that neither are known nor were removed from an opened pack, its chunks of trees in one request. */
export async function footersIn(
  { storage, projection, keys }: Pick<Repository, 'storage' | 'projection' | 'keys'>,
  hash: string,
  { blobs }: PackEnd,
  signal?: AbortSignal,
): Promise<readonly FoundFooter[]> {
  const opener = new BlobOpener({ keys });
  const found: FoundFooter[] = [];
  const wanted = blobs.filter(({ kind, digest }) => kind === 'tree' && !projection.points.isTreeKnown(digest));
  const [first, last] = [wanted[0], wanted.at(-1)];
  if (!first || !last) return [];
  const range = { offset: first.offset, length: last.offset + last.length - first.offset };
  const read = await readable(readStored(storage, packName(hash), range, signal));
  for (const blob of read ? wanted : []) {
    const bytes = read!.subarray(blob.offset - first.offset, blob.offset - first.offset + blob.length);
    const plaintext = bytes.length === blob.length ? opener.open(blob, bytes) : undefined;
    const footer = plaintext && footerIn(plaintext, keys.tree);
    if (footer) found.push({ tree: Buffer.from(blob.digest), footer });
  }
  return found;
}

/** Returns `undefined` for a chunk of a tree that is no footer. */
export function footerIn(plaintext: Buffer, treeSubKeys: EpochKeys): VerifiedFooter | undefined {
  try {
    return readFooter(plaintext, treeSubKeys);
  } catch (error) {
    if (isHoldfastError(error)) return undefined;
    throw error;
  }
}
