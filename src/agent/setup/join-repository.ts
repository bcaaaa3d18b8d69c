import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { destinationFolder } from '../input/local-path.ts';
import { isHoldfastError, systemCodeOf, wrongUsage } from '../../base/errors/errors.ts';
import { readEnvelope } from '../../format/crypto/key-envelope.ts';
import { keyIdOf } from '../../format/crypto/keys.ts';
import { makeDurableFolderSync } from '../../os/filesystem/make-folder.ts';
import { realPathOf } from '../../os/filesystem/real-path.ts';
import { isInside } from '../../model/local-path.ts';
import {
  abandonRepository,
  completeRepository,
  createRepository,
  findRepository,
  type FoundRepository,
} from '../../repository/create-repository.ts';
import { KEYS_FOLDER } from '../../format/repository/file-names.ts';
import { beginLocks, requireLocks } from '../../repository/locks/begin-locks.ts';
import { showHidden } from '../../repository/locks/show-hidden.ts';
import { newWriterKey } from '../../format/repository/writer-key.ts';
import type { Storage } from '../../storage/storage.ts';
import { foreignContent, refuseOccupied } from '../../storage/foreign-content.ts';
import { asFolderError } from '../../storage/folder/folder-error.ts';
import { inspectFolder, type FolderUse } from '../../storage/folder/inspect-folder.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../remote/http/retrier.ts';
import { adoptKeys } from '../destination/keys/adopt-keys.ts';
import { keyRingIn, type Secrets } from '../key-store/key-store.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { requireDevice, visibleDevices } from '../destination/keys/account-devices.ts';
import { storedSets } from '../destination/keys/account-keys.ts';
import { openDestinationStorage } from '../destination/store/open-destination-storage.ts';
import { accessOf, openRepository } from '../destination/store/repository-access.ts';
import { tryStore } from '../destination/store/try-store.ts';
import { chosenStore, type ChosenStore, type StoreChoice } from './chosen-store.ts';
import type { Joined, JoinRequest, SetupDestinationOf } from './join-request.ts';
import { deleteEnvelopes, isCodeOnly } from '../destination/keys/stored-envelopes.ts';
import { refuseSame } from './known-backups.ts';
import { chooseMasterKey, type AccountState } from './master-key.ts';

/** Marks a folder or a part of a bucket in which a service stores. */
const SERVICE_MARKER = 'holdfast-store.json';

/**
 * Joins a folder. A missing folder is created, one that holds a repository is joined, and any other that is not empty is
 * refused.
 *
 * @throws HoldfastError `usage`, `destination_*`, `phrase_needed`, `phrase_other_account`, `passphrase_wrong`
 */
export async function joinFolder(
  { directory: folder, parity }: SetupDestinationOf<'folder'>,
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const directory = destinationFolder(folder);
  const { home } = parts;
  const [realHome, realDirectory] = [realPathOf(home.folder), realPathOf(directory)];
  if (isInside(realHome, realDirectory)) {
    throw wrongUsage({ problem: 'inside-own-folder', path: home.folder, folder: directory });
  }
  // Whoever removes the home would remove the backups.
  if (isInside(realDirectory, realHome)) {
    throw wrongUsage({ problem: 'inside-own-folder', path: directory, folder: home.folder });
  }
  const before = await useOf(directory);
  if (before === 'occupied' || before === 'undescribed') throw foreignContent(directory, before === 'undescribed');
  try {
    if (before === 'missing' || before === 'free') makeDurableFolderSync(directory);
    return await joinStore({ destination: { kind: 'folder', directory }, secrets: {}, parity }, request, parts, signal);
  } catch (error) {
    if (before === 'missing' || before === 'free') await removeEmpty(join(directory, KEYS_FOLDER));
    if (before === 'missing') await removeEmpty(directory);
    throw asFolderError(error, directory, true);
  }
}

/**
 * Joins a store that is not a folder of this computer.
 *
 * @throws HoldfastError `usage`, `destination_*`, `service_unreachable`, `permission_denied`, `phrase_needed`,
 *   `phrase_other_account`, `passphrase_wrong`
 */
export async function joinChosenStore(
  choice: StoreChoice,
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const chosen = await chosenStore(choice, parts, signal);
  const objectLockDays = choice.kind === 'bucket' ? choice.objectLockDays : undefined;
  return await joinStore({ ...chosen, parity: choice.parity, objectLockDays }, request, parts, signal);
}

interface StoreToJoin extends ChosenStore {
  readonly parity: number | undefined;
  readonly objectLockDays?: number | undefined;
}

/** Finds or creates the repository of a store, and opens it to see the devices and sets in it. */
async function joinStore(
  { destination, secrets: own, parity, objectLockDays }: StoreToJoin,
  request: JoinRequest,
  { home, clock }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<Joined> {
  const storage = await openDestinationStorage(destination, own, {
    clock,
    isNew: true,
    policy: INTERACTIVE_RETRY_POLICY,
  });
  let opened: AsyncDisposable = storage;
  let created: FoundRepository | undefined;
  let begun: Secrets | undefined;
  try {
    if (objectLockDays !== undefined) await requireLocks(storage, signal);
    const existing = await findOrShow(storage, signal);
    if (!existing) await refuseOthers(storage, signal);
    const keys = await chooseMasterKey(request.keys, { ...accountOf(existing), now: clock.now() });
    const secrets: Secrets = { ...keys, ...own };
    const ring = keyRingIn(keys);
    // From now on what it says of itself has to be proven.
    if (existing) await findRepository(storage, signal, ring);
    const holdsBackups = existing !== undefined;
    const cautions =
      destination.kind === 'folder' ? [] : await tryStore(destination, storage, { holdsBackups, signal });
    if (!existing) {
      begun = secrets;
      await request.begin?.(secrets);
    }
    const found =
      existing ??
      (await createRepository(
        storage,
        { masterKey: keys.masterKey, keyEnvelope: keys.keyEnvelope, clock, parity },
        signal,
      ));
    if (found.isNew) created = found;
    if (existing && isLeft(keys, request)) await completeRepository(storage, keys.keyEnvelope, signal);
    // A service may have claimed it meanwhile.
    if (created) await refuseService(storage, signal);
    const { description } = found;
    refuseSame(request, ({ repository }) => repository === description.id);
    const writerKey = newWriterKey();
    const device = { id: writerKey.id, name: request.deviceName };
    // Refuses a repository of another key, which another computer may have created meanwhile.
    const { settled, secrets: adopted } = adoptKeys(secrets, withoutCodes(found.envelopes));
    if (request.keys.code !== undefined) await deleteEnvelopes(storage, found.envelopes.filter(isCodeOnly), signal);
    const repository = openRepository({ home, storage, description, secrets, settled, writerKey, device, clock });
    const access = accessOf(repository, secrets);
    opened = access;
    repository.onRead = () => undefined;
    const devices = (await visibleDevices(access.service, signal)).filter(({ id }) => id !== writerKey.id);
    const known = request.deviceId === undefined ? undefined : requireDevice(devices, request.deviceId);
    const sets = await storedSets(
      access,
      devices.map(({ id }) => id),
      signal,
    );
    const joined: Joined = {
      destination,
      deviceId: known?.id ?? writerKey.id,
      deviceName: known?.name ?? request.deviceName,
      secrets: { ...adopted, keyEnvelope: keptEnvelope(adopted.keyEnvelope, found), deviceKey: writerKey.text },
      adopted: request.keys.master !== undefined || (existing !== undefined && !isLeft(keys, request)),
      storedSets: sets,
      devices,
      cautions,
      parity: description.parity,
      doubt: repository.doubt,
      ...(settled.isWithdrawn && { isOutdated: true }),
    };
    await request.save?.(joined);
    // From here on it belongs to this home.
    created = undefined;
    if (objectLockDays !== undefined) await beginLocks(repository, objectLockDays, signal);
    return joined;
  } catch (error) {
    const isAbandoned = created !== undefined && (await isDone(abandonRepository(storage, created)));
    if (begun && (await isGone(storage, begun, isAbandoned))) await request.withdraw?.(begun);
    throw error;
  } finally {
    await opened[Symbol.asyncDispose]();
  }
}

/** Finds a repository, also where somebody deleted its files in a bucket that still has them. */
async function findOrShow(storage: Storage, signal: AbortSignal | undefined): Promise<FoundRepository | undefined> {
  const found = await findRepository(storage, signal);
  if (found || (await showHidden(storage, signal)).length === 0) return found;
  return await findRepository(storage, signal);
}

/** Returns whether this continues a set-up that was killed: nobody has seen the phrase. */
function isLeft({ masterKey }: Pick<Secrets, 'masterKey'>, { keys: { left } }: JoinRequest): boolean {
  return left !== undefined && keyIdOf(left.masterKey) === keyIdOf(masterKey);
}

async function isDone(work: Promise<void>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}

/** Returns whether a store certainly has no backups under a key. A folder that was left has no repository any more. */
async function isGone(storage: Storage, { masterKey }: Secrets, isAbandoned: boolean): Promise<boolean> {
  try {
    return (await findRepository(storage))?.description.keyId !== keyIdOf(masterKey);
  } catch (error) {
    // Backups that nothing describes are there.
    return isAbandoned && isHoldfastError(error, 'destination_missing') && error.details.problem !== 'undescribed';
  }
}

function withoutCodes(envelopes: readonly Uint8Array[]): readonly Uint8Array[] {
  return envelopes.filter((bytes) => !isCodeOnly(bytes));
}

/** The envelope of a code is deleted: the home keeps another one of the same key. */
function keptEnvelope(bytes: Uint8Array, { envelopes }: FoundRepository): Uint8Array {
  if (!isCodeOnly(bytes)) return bytes;
  const { keyId } = readEnvelope(bytes);
  return withoutCodes(envelopes).find((other) => readEnvelope(other).keyId === keyId) ?? bytes;
}

/** Refuses a store that a service uses, or that holds something else. */
async function refuseOthers(storage: Storage, signal: AbortSignal | undefined): Promise<void> {
  await refuseService(storage, signal);
  await refuseOccupied(storage, signal);
}

async function refuseService(storage: Storage, signal: AbortSignal | undefined): Promise<void> {
  const isClaimed = (await storage.get(SERVICE_MARKER, { offset: 0, length: 1 }, signal)) !== undefined;
  if (isClaimed) throw wrongUsage({ problem: 'destination-foreign', directory: storage.address });
}

function accountOf(found: FoundRepository | undefined): AccountState {
  const envelopes = (found?.envelopes ?? []).map((bytes) => ({ envelope: readEnvelope(bytes), bytes }));
  return { hasBackups: found !== undefined, envelopes };
}

/** An unreadable folder counts as a repository: opening it reports the reason. */
async function useOf(directory: string): Promise<FolderUse> {
  return await inspectFolder(directory).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOTDIR') throw wrongUsage({ problem: 'destination-foreign', directory });
    return 'repository';
  });
}

/** Removes a folder that was created for a repository, unless it has got content. */
async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}
