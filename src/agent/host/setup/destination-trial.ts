import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ACCOUNT_ENDPOINTS, authSettings } from '../../../protocol/accounts.ts';
import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { jsonResponse } from '../../../remote/client/responses.ts';
import { isHtml, isRetryableStatus, type ErrorResponse } from '../../../remote/client/error-response.ts';
import type { ServiceCalls } from '../../../remote/client/service-calls.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import type { DestinationChoice, Trial } from '../../../ipc/contract/setup.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { openDestinationStorage, type StorageDestination } from '../../destination/store/open-destination-storage.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../../remote/http/retrier.ts';
import { locationOf } from '../../home/destination-location.ts';
import type { StoreChoice } from '../../setup/chosen-store.ts';
import { findRepository } from '../../../repository/create-repository.ts';
import { requireLocks } from '../../../repository/locks/begin-locks.ts';
import { refuseOccupied } from '../../../storage/foreign-content.ts';
import { asFolderError } from '../../../storage/folder/folder-error.ts';
import { inspectFolder } from '../../../storage/folder/inspect-folder.ts';
import { isOnOwnDisk } from '../../../os/disks/own-disk.ts';
import { spaceAt } from '../destination/available-disks.ts';
import { chosenFolder, chosenStorePlace, serviceAddress } from '../destination/destination-choice.ts';
import { KIB } from '../../../model/units.ts';

/** A full disk may still accept an empty file. */
const TRIAL_BYTES = 64 * KIB;

/**
 * Tries a destination. Leaves no file there, and stores nothing here.
 *
 * @throws HoldfastError `destination_*`, `service_*`, `permission_denied`, `usage`
 */
export async function tryDestination(choice: DestinationChoice, parts: AgentParts): Promise<Trial> {
  switch (choice.kind) {
    case 'folder':
      return tryFolder(choice, parts);
    case 'bucket':
    case 'sftp':
    case 'webdav':
    case 'rclone':
      return tryChosenStore(chosenStorePlace(choice), parts);
    case 'service':
      return tryService(choice.url, parts);
  }
}

async function tryFolder(
  choice: Extract<DestinationChoice, { kind: 'folder' }>,
  { home, clock }: AgentParts,
): Promise<Trial> {
  const { folder, use } = await chosenFolder(choice, home);
  const deepest = await deepestExisting(folder);
  await writeTrialFile(deepest, folder);
  const [space, isSameDisk] = await Promise.all([spaceAt(deepest), isOnOwnDisk(folder)]);
  return {
    location: folder,
    holdsBackups: use === 'repository' && (await hasRepository({ kind: 'folder', directory: folder }, clock)),
    ...(space === undefined ? {} : { freeBytes: space.free }),
    ...(isSameDisk === undefined ? {} : { isSameDisk }),
  };
}

async function deepestExisting(folder: string): Promise<string> {
  let path = folder;
  while ((await inspectFolder(path).catch(() => 'occupied')) === 'missing' && dirname(path) !== path) {
    path = dirname(path);
  }
  return path;
}

/** Writes a file: permissions alone do not prove that the disk accepts data. */
async function writeTrialFile(folder: string, directory: string): Promise<void> {
  let trial: string | undefined;
  try {
    trial = await mkdtemp(join(folder, '.holdfast-trial-'));
    await writeFile(join(trial, 'trial'), Buffer.alloc(TRIAL_BYTES, 1), { flush: true });
  } catch (error) {
    throw asFolderError(error, directory, true);
  } finally {
    if (trial !== undefined) await rm(trial, { recursive: true, force: true });
  }
}

async function hasRepository(destination: StorageDestination, clock: AgentParts['clock']): Promise<boolean> {
  await using storage = await openDestinationStorage(destination, {}, { clock });
  return (await findRepository(storage)) !== undefined;
}

async function tryChosenStore(choice: StoreChoice, parts: AgentParts): Promise<Trial> {
  const [{ chosenStore }, { tryStore }] = await Promise.all([
    import('../../setup/chosen-store.ts'),
    import('../../destination/store/try-store.ts'),
  ]);
  const { destination, secrets } = await chosenStore(choice, parts);
  const options = { clock: parts.clock, isNew: true, policy: INTERACTIVE_RETRY_POLICY };
  await using storage = await openDestinationStorage(destination, secrets, options);
  if (choice.kind === 'bucket' && choice.objectLockDays !== undefined) await requireLocks(storage);
  const found = await findRepository(storage);
  if (!found) await refuseOccupied(storage);
  const holdsBackups = found !== undefined;
  const cautions = await tryStore(destination, storage, { holdsBackups });
  return { location: locationOf(destination), holdsBackups, cautions: [...cautions] };
}

async function tryService(text: string, parts: AgentParts): Promise<Trial> {
  return withConnection(serviceAddress(text), parts, async ({ calls }) => {
    const providers = await identityProviders(calls);
    if (providers === undefined) await expectInterface(calls);
    const signIn = { password: true, provider: (providers ?? []).length > 0 };
    return { location: calls.baseUrl, holdsBackups: false, signIn };
  });
}

/** Returns the providers of a service; `undefined` if it lists none, as other services than Holdfast's own. */
export async function identityProviders(calls: ServiceCalls): Promise<readonly string[] | undefined> {
  try {
    const { providers } = await calls.call({
      method: 'GET',
      path: ACCOUNT_ENDPOINTS.settings,
      read: jsonResponse(authSettings),
      errorFor: (refusal) => (isRetryableStatus(refusal.status) ? undefined : new NotSupported()),
    });
    return providers;
  } catch (error) {
    if (error instanceof NotSupported || isHoldfastError(error, 'service_broken')) return undefined;
    throw error;
  }
}

/** Any service refuses to list devices before a sign-in; a web site responds otherwise. */
async function expectInterface(calls: ServiceCalls): Promise<void> {
  const request = calls.call({
    method: 'GET',
    path: ENDPOINTS.devices,
    read: async (response, address) => {
      await response.discard();
      throw noService(address, response.status);
    },
    errorFor: (refusal) => {
      if (isRetryableStatus(refusal.status)) return undefined;
      return isSignInNeeded(refusal) ? new NotSupported() : noService(refusal.address, refusal.status);
    },
  });
  await request.catch((error: unknown) => {
    if (!(error instanceof NotSupported)) throw error;
  });
}

function isSignInNeeded(refusal: ErrorResponse): boolean {
  return (refusal.status === 401 || refusal.status === 403) && !isHtml(refusal);
}

function noService(address: string, status: number): HoldfastError {
  return new HoldfastError('service_broken', { address, status, reason: 'no-service' });
}

class NotSupported extends Error {
  override readonly name = 'NotSupported';
}
