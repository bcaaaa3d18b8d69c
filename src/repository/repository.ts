import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { HoldfastError } from '../base/errors/errors.ts';
import { deriveKeys, type KeyRing, type Keys, type MasterKey } from '../format/crypto/keys.ts';
import { makeDurableFolderSync } from '../os/filesystem/make-folder.ts';
import type { KeyState } from '../format/crypto/known-keys.ts';
import type { DamageProblem } from '../format/repository/damage.ts';
import { doubtOf, type Doubt } from './doubt.ts';
import type { RepositoryDescription } from '../format/repository/description.ts';
import { ledgerFileName } from '../format/repository/file-names.ts';
import { admissionOf, endsOf } from './ledger/admission.ts';
import type { WriterKey } from '../format/repository/writer-key.ts';
import type { Fact } from '../format/repository/facts.ts';
import { deriveRepositoryKeys, type RepositoryKeys } from '../format/repository/keys.ts';
import { appendFacts, settleOwnLedger, type OwnLedgerParts } from './ledger/append-facts.ts';
import { lockPeriod } from './locks/lock-period.ts';
import { OwnLedger } from './ledger/own-ledger.ts';
import type { LedgerListing } from './ledger/ledger-files.ts';
import { readLedgers } from './ledger/read-ledgers.ts';
import { hasForged } from './ledger/removed-writer.ts';
import { proveContested } from './packs/confirm-packs.ts';
import { PackParity } from './parity/pack-parity.ts';
import { PinnedRepository } from './pinned-repository.ts';
import { rebuildProjection } from './packs/rebuild-projection.ts';
import { Projection } from './projection/projection.ts';
import { Reserve } from './reserve-file.ts';
import type { Storage } from '../storage/storage.ts';
import type { UnreadableProblem } from '../storage/unreadable.ts';
import { DAY } from '../model/units.ts';

/** This computer, as its ledger describes it. */
export interface OwnDevice {
  /** 32 hex digits. A new computer may continue the backups of another device. */
  readonly id: string;
  readonly name: string;
  readonly os: string;
  readonly agent: string;
  /** The public key to which a new master key is sealed. */
  readonly key?: Uint8Array | undefined;
}

export interface RepositoryOptions {
  readonly storage: Storage;
  readonly description: RepositoryDescription;
  /** A ring, or the master key of an account that never rotated. */
  readonly masterKey: MasterKey | KeyRing;
  readonly writerKey: WriterKey;
  readonly device: OwnDevice;
  /** Folder of this computer for all repositories. */
  readonly folder: string;
  readonly clock: Clock;
  /** What the envelopes state of the current key; by default that it was never changed. */
  readonly keyState?: KeyState | undefined;
  /** True if the key was changed, and this computer does not have the new one. It only reads what was stored before. */
  readonly isWithdrawn?: boolean | undefined;
  /** Files that describe or open the repository and cannot be read (`FoundRepository.unread`). */
  readonly unread?: ReadonlyMap<string, UnreadableProblem> | undefined;
  /** Reads the key envelopes once more. Returns `undefined` if there are no others than before. */
  readonly readKeys?: ((signal?: AbortSignal) => Promise<NewKeys | undefined>) | undefined;
}

/** While somebody changes the key, its segments cannot be read yet. What a removed computer writes harms nothing. */
const HARMLESS: ReadonlySet<DamageProblem> = new Set(['later-key', 'revoked']);

/** What key envelopes state that were stored after the repository was opened. */
export type NewKeys = Pick<RepositoryOptions, 'keyState' | 'isWithdrawn'>;

/** A repository opened by one device. Nothing is written before something is appended, so reading a read-only medium works. */
export class Repository implements Disposable {
  readonly storage: Storage;
  readonly id: string;
  readonly description: RepositoryDescription;
  readonly projection: Projection;
  readonly keys: Keys;
  readonly repositoryKeys: RepositoryKeys;
  readonly clock: Clock;
  readonly writerKey: WriterKey;
  readonly device: OwnDevice;
  readonly parity: PackParity;
  readonly reserve: Reserve;
  readonly keyState: KeyState | undefined;
  readonly isWithdrawn: boolean;
  /** Files and folders that cannot be read and that nothing needs here. A run names them. */
  readonly unread: Map<string, UnreadableProblem>;
  /** True if the destination had lost the envelope of the current key, as after an older copy was put in its place. */
  hasLostKey = false;
  /** Packs that no segment names and that were not looked into (`UnnamedTrees`). */
  unreadPacks = 0;
  /** Is told of `doubt` whenever restore points were read. Without it, nobody looks for those that no segment names. */
  onRead: ((doubt: Doubt | undefined) => void) | undefined;
  readonly #ledger: OwnLedgerParts;
  readonly #readKeys: RepositoryOptions['readKeys'];

  /**
   * @throws HoldfastError `destination_missing` `exchanged` if this writer has opened another repository before,
   *   `phrase_other_account` if the repository has another key; `home_unwritable`
   */
  constructor(options: RepositoryOptions) {
    const {
      storage,
      description,
      masterKey,
      writerKey,
      device,
      folder,
      clock,
      keyState,
      isWithdrawn = false,
      readKeys,
      unread = [],
    } = options;
    const pinned = new PinnedRepository(folder, writerKey.id);
    const known = pinned.read();
    if (known !== undefined && known !== description.id) {
      throw new HoldfastError('destination_missing', { directory: storage.address, problem: 'exchanged' });
    }
    this.keys = deriveKeys(masterKey);
    if (!this.keys.ids.includes(description.keyId)) throw new HoldfastError('phrase_other_account', {});
    const local = join(folder, description.id);
    // A power loss must not take what this computer remembers of its ledger.
    if (known === undefined || !existsSync(local)) makeDurableFolderSync(local);
    if (known === undefined) pinned.write(description.id, false);
    this.storage = storage;
    this.id = description.id;
    this.description = description;
    this.parity = new PackParity(storage, description.parity);
    this.reserve = new Reserve(storage, (name, problem) => this.unread.set(name, problem));
    this.repositoryKeys = deriveRepositoryKeys(masterKey);
    this.clock = clock;
    this.writerKey = writerKey;
    this.device = device;
    this.keyState = keyState;
    this.isWithdrawn = isWithdrawn;
    this.unread = new Map(unread);
    this.#readKeys = readKeys;
    this.projection = new Projection(join(local, 'projection.sqlite'), description.id);
    this.#ledger = {
      storage,
      projection: this.projection,
      seal: { keys: this.repositoryKeys.ledger, repository: this.id },
      clock,
      admits: admissionOf(keyState),
      ends: endsOf(keyState),
      writerKey,
      own: new OwnLedger(join(local, `ledger-${writerKey.id}.json`), writerKey.id),
      pinned,
      lockFile: join(local, 'append.lock'),
    };
  }

  /** The parts of a ledger, for checkpoints, checks and repairs. */
  get ledger(): OwnLedgerParts {
    return this.#ledger;
  }

  /** True if a file is damaged or missing, or was there in a newer state before, that no repair has made up for. */
  get isDamaged(): boolean {
    const damage = this.projection.ledgers.damage();
    return this.hasLostKey || damage.some(({ problem, isAccepted }) => !isAccepted && !HARMLESS.has(problem));
  }

  /** What cannot be vouched for of the restore points that are listed; `undefined` if nothing is known to be missing. */
  get doubt(): Doubt | undefined {
    const { projection, unreadPacks, hasLostKey: isOlder } = this;
    return doubtOf(projection, { unreadPacks, isOlder });
  }

  /** Reads what other devices have appended. */
  async refresh(signal?: AbortSignal): Promise<LedgerListing> {
    const listing = await readLedgers(this.#ledger, signal);
    await proveContested(this, signal);
    const { locks } = this.storage;
    if (locks) locks.period = lockPeriod(this.projection.points.longestMinimumDays());
    return listing;
  }

  /** Makes the reserve if it is missing and there is room: once a day where looking for it costs a request. @throws what the storage throws */
  async keepReserve(signal?: AbortSignal): Promise<void> {
    const { maintenance } = this.projection;
    const now = this.clock.now();
    if (this.storage.listsAtNoCost !== true && !maintenance.isDue('keep-reserve', now, DAY)) return;
    if (await this.reserve.keep(signal)) maintenance.done('keep-reserve', now);
  }

  /** Folds the projection anew, after it was found to be wrong. */
  async rebuild(signal?: AbortSignal): Promise<void> {
    const { id, repositoryKeys } = this;
    await rebuildProjection({ ...this.#ledger, id, repositoryKeys }, signal);
  }

  /**
   * Forgets what a changed key no longer lets count, and reads again what needs it.
   *
   * @throws what the storage throws
   */
  async admitAnew(signal?: AbortSignal): Promise<void> {
    const { ledgers } = this.projection;
    for (const { file, problem } of ledgers.damage()) if (problem === 'later-key') ledgers.clearDamage(file);
    const before = this.keys.epoch - 1;
    const hasOthers = ledgers.applied().some((segment) => {
      const name = ledgerFileName('ledger', segment, segment.hash);
      return this.#ledger.admits?.({ ...segment, folder: 'ledger', name }, before) === false;
    });
    if (hasOthers || (await hasForged(this.#ledger, signal))) await this.rebuild(signal);
  }

  /**
   * Reads what other devices have appended, and makes sure that no copy of this computer writes to its ledger.
   *
   * @throws HoldfastError `device_cloned`, `key_outdated`
   */
  async refreshForWriting(signal?: AbortSignal): Promise<LedgerListing> {
    this.requireCurrentKey();
    const listing = await this.refresh(signal);
    settleOwnLedger(this.#ledger, listing);
    this.#requireOwnDevice();
    return listing;
  }

  /**
   * Appends facts to this device's ledger; see `appendFacts`. Each segment also describes the device.
   *
   * @throws HoldfastError `key_outdated`
   */
  async append(
    decide: (listing: LedgerListing) => readonly Fact[] | undefined | Promise<readonly Fact[] | undefined>,
    signal?: AbortSignal,
  ): Promise<readonly Fact[] | undefined> {
    this.requireCurrentKey();
    return await appendFacts(
      this.#ledger,
      async (listing) => {
        const facts = await decide(listing);
        return facts && [this.#ownDescription(), ...facts];
      },
      signal,
    );
  }

  /**
   * Like `append`, with the reserve if there is no other room: for what frees space, and for decisions without which none could be freed.
   */
  async appendWithReserve(...words: Parameters<Repository['append']>): Promise<readonly Fact[] | undefined> {
    const [decide, signal] = words;
    return await this.reserve.lend(() => this.append(decide, signal), signal);
  }

  /**
   * Makes sure that what was just appended counts for others: they refuse it if somebody has changed the key meanwhile who did not know this
   * computer, or has removed it.
   *
   * @throws HoldfastError `key_outdated`
   */
  async requireKeptKey(signal?: AbortSignal): Promise<void> {
    const keys = await this.#readKeys?.(signal);
    if (keys) this.requireCurrentKey(keys);
  }

  /** @throws HoldfastError `key_outdated` if nothing that this computer appends would count */
  requireCurrentKey({ isWithdrawn, keyState }: NewKeys = this): void {
    if (isWithdrawn === true) throw new HoldfastError('key_outdated', {});
    const isRemoved = keyState?.writers.get(this.writerKey.id)?.end !== undefined;
    if (isRemoved) throw new HoldfastError('key_outdated', { problem: 'removed' });
  }

  /** @throws HoldfastError `device_cloned` if another computer has taken over this device */
  #requireOwnDevice(): void {
    const writers = this.projection.ledgers.writers().filter(({ device }) => device === this.device.id);
    const own = writers.find(({ id }) => id === this.writerKey.id);
    const isTakenOver = own && writers.some(({ claimedAt }) => claimedAt > own.claimedAt);
    if (isTakenOver) throw new HoldfastError('device_cloned', { deviceId: this.device.id });
  }

  /** Stands in every segment: whichever is lost, the others still belong to a device. */
  #ownDescription(): Fact {
    const { id: device, name, os, agent, key } = this.device;
    const writers = this.projection.ledgers.writers();
    const known = writers.find((writer) => writer.id === this.writerKey.id);
    const isOwn = known?.device === device;
    // Clocks may be wrong: whoever takes a device over does so after those whose claims it has read.
    const claims = writers.filter((writer) => writer.device === device).map(({ claimedAt }) => claimedAt + 1);
    const time = isOwn ? known.claimedAt : Math.max(this.clock.now(), ...claims);
    return { kind: 'device', device, time, name, os, agent, ...(key && { key }) };
  }

  [Symbol.dispose](): void {
    this.projection[Symbol.dispose]();
    void this.parity.close();
  }
}
