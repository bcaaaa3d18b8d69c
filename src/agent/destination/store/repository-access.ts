import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import { Collector } from '../../../repository/collect/collector.ts';
import { findRepository, hasOtherEnvelopes } from '../../../repository/create-repository.ts';
import type { RepositoryDescription } from '../../../format/repository/description.ts';
import { DESCRIPTION_FILE } from '../../../format/repository/file-names.ts';
import { hiddenFiles } from '../../../repository/locks/show-hidden.ts';
import type { WriterKey } from '../../../format/repository/writer-key.ts';
import { RepositoryClient } from '../../../repository/repository-client.ts';
import { Repository, type RepositoryOptions } from '../../../repository/repository.ts';
import { BlobReader } from '../../../repository/restore/blob-reader.ts';
import { performRetention } from '../../../repository/retention/perform-retention.ts';
import { collectNow, tidyRepository } from '../../../repository/retention/tidy-repository.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Home } from '../../home/home.ts';
import type { SettledKeys } from '../../../format/crypto/settle-keys.ts';
import { keyRingIn, type Secrets } from '../../key-store/key-store.ts';
import { adoptKeys, deviceKeyIn } from '../keys/adopt-keys.ts';
import { hasCurrentEnvelope } from '../keys/complete-keys.ts';
import { REPOSITORIES_FOLDER, writerKeyOf } from '../keys/writer-key.ts';
import { readEnvelope } from '../../../format/crypto/key-envelope.ts';
import { keyIdOf } from '../../../format/crypto/keys.ts';
import type { ServiceAccess } from '../service-access.ts';
import { thisDevice } from '../this-device.ts';

export interface RepositoryAccessOptions {
  readonly home: Home;
  readonly storage: Storage;
  readonly secrets: Secrets;
  /** Saves secrets with a key that was taken over. */
  readonly onAdopted: (secrets: Secrets) => Promise<void>;
  /** From the key store. */
  readonly writerKey: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly clock: Clock;
}

/**
 * Opens the repository in a store.
 *
 * @throws HoldfastError `destination_missing`, also `forged`, `exchanged` and `undescribed`, `phrase_other_account`, `home_damaged`, and what the
 *   store throws
 */
export async function openRepositoryAccess(options: RepositoryAccessOptions): Promise<ServiceAccess> {
  const { storage, home, deviceId, deviceName, clock } = options;
  try {
    const found = await findRepository(storage, undefined, keyRingIn(options.secrets)).catch((error: unknown) => {
      throw asUndescribed(error, storage.address);
    });
    if (!found) {
      const isHidden = (await hiddenFiles(storage, undefined)).includes(DESCRIPTION_FILE);
      const directory = storage.address;
      throw new HoldfastError('destination_missing', { directory, ...(isHidden && { problem: 'hidden' as const }) });
    }
    const { secrets, settled, isChanged } = adoptKeys(options.secrets, found.envelopes);
    const repository = openRepository({
      home,
      storage,
      description: found.description,
      unread: found.unread,
      secrets,
      settled,
      writerKey: writerKeyOf(options.writerKey),
      device: { id: deviceId, name: deviceName },
      clock,
      readKeys: async (signal) => {
        if (!(await hasOtherEnvelopes(storage, found.envelopes, signal))) return undefined;
        const again = await findRepository(storage, signal, keyRingIn(secrets));
        const { settled: now } = adoptKeys(secrets, again?.envelopes ?? []);
        return { keyState: now.state, isWithdrawn: now.isWithdrawn };
      },
    });
    // Whatever a removed computer wrote must not stay once the new key is saved.
    if (isChanged) {
      await repository.admitAnew();
      await options.onAdopted(secrets);
    }
    const isOwn = readEnvelope(secrets.keyEnvelope).keyId === keyIdOf(secrets.masterKey);
    repository.hasLostKey = (secrets.epoch ?? 1) > 1 && isOwn && !hasCurrentEnvelope(secrets, found.envelopes);
    return { ...accessOf(repository, secrets), settled, envelopes: found.envelopes };
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw error;
  }
}

/** Backups of this computer have lain there: what describes them is damaged, and no other files are in their place. */
function asUndescribed(error: unknown, directory: string): unknown {
  if (!isHoldfastError(error, 'usage') || error.details.problem !== 'destination-foreign') return error;
  return new HoldfastError('destination_missing', { directory, problem: 'undescribed' }, { cause: error });
}

export interface OpenRepositoryOptions extends Pick<RepositoryOptions, 'readKeys' | 'unread'> {
  readonly home: Home;
  readonly storage: Storage;
  readonly description: RepositoryDescription;
  readonly secrets: Secrets;
  readonly settled: SettledKeys;
  readonly writerKey: WriterKey;
  readonly device: { readonly id: string; readonly name: string };
  readonly clock: Clock;
}

/** @throws HoldfastError `phrase_other_account`, `home_unwritable` */
export function openRepository({ home, device, secrets, settled, ...options }: OpenRepositoryOptions): Repository {
  const { name, os, agent_version: agent } = thisDevice(device.name);
  return new Repository({
    ...options,
    masterKey: settled.ring,
    keyState: settled.state,
    isWithdrawn: settled.isWithdrawn,
    device: { id: device.id, name, os, agent, key: deviceKeyIn(secrets)?.publicKey },
    folder: join(home.folder, REPOSITORIES_FOLDER),
  });
}

/** Closes the repository and its store at the end. */
export function accessOf(repository: Repository, secrets: Secrets): ServiceAccess {
  const client = new RepositoryClient(repository);
  const collector = new Collector(repository);
  return {
    repository,
    secrets,
    service: client,
    uploader: client,
    downloader: new BlobReader(repository),
    retention: (request, signal) => performRetention(repository, collector, request, signal),
    tidy: (signal) => tidyRepository(repository, collector, signal),
    collect: (occasion, signal) => collectNow(repository, collector, occasion, signal),
    explain: (error) => error,
    [Symbol.asyncDispose]: async () => {
      repository[Symbol.dispose]();
      await repository.storage[Symbol.asyncDispose]();
    },
  };
}
