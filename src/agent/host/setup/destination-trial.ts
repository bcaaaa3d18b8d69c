import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ACCOUNT_ENDPOINTS, authSettings } from '../../../protocol/accounts.ts';
import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { jsonResponse } from '../../../engine/transfer/client/responses.ts';
import { isHtml, isRetryableStatus, type ErrorResponse } from '../../../engine/transfer/client/error-response.ts';
import type { ServiceCalls } from '../../../engine/transfer/client/service-calls.ts';
import { HoldfastError, isHoldfastError, systemCodeOf } from '../../../base/errors.ts';
import type { DestinationChoice, Trial } from '../../../ipc/contract/setup.ts';
import { bucketAddress } from '../../../service/objects/s3/bucket-config.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { inspectDirectory } from '../../../service/store/store-directory.ts';
import { isOnOwnDisk, spaceAt } from '../destination/available-disks.ts';
import { chosenBucket, chosenFolder, serviceAddress } from '../destination/destination-choice.ts';

/** A disk may be full to the last block and still take an empty file. */
const TRIAL_BYTES = 64 * 1024;

/**
 * Tries a destination. Nothing stays there, and nothing is saved here.
 *
 * @throws HoldfastError `destination_*`, `service_*`, `permission_denied`, `usage`
 */
export async function tryDestination(choice: DestinationChoice, parts: AgentParts): Promise<Trial> {
  switch (choice.kind) {
    case 'folder':
      return tryFolder(choice, parts);
    case 'bucket':
      return tryBucket(choice);
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
  await writeSomething(deepest, folder);
  const [space, isSameDisk] = await Promise.all([spaceAt(deepest), isOnOwnDisk(folder)]);
  const { storeHoldsBackups } = await import('../../setup/join-embedded.ts');
  return {
    place: folder,
    holdsBackups: use === 'store' && (await storeHoldsBackups(folder, clock)),
    ...(space === undefined ? {} : { freeBytes: space.free }),
    ...(isSameDisk === undefined ? {} : { isSameDisk }),
  };
}

async function deepestExisting(folder: string): Promise<string> {
  let path = folder;
  while ((await inspectDirectory(path).catch(() => 'occupied')) === 'missing' && dirname(path) !== path) {
    path = dirname(path);
  }
  return path;
}

/** What may be asked of a folder is one thing, and what a disk does another. */
async function writeSomething(folder: string, directory: string): Promise<void> {
  let trial: string | undefined;
  try {
    trial = await mkdtemp(join(folder, '.holdfast-trial-'));
    await writeFile(join(trial, 'trial'), Buffer.alloc(TRIAL_BYTES, 1), { flush: true });
  } catch (error) {
    const problem = systemCodeOf(error);
    const isFull = problem === 'ENOSPC' || problem === 'EDQUOT';
    const code = isFull ? 'destination_full' : 'destination_unwritable';
    throw new HoldfastError(code, { directory, problem }, { cause: error });
  } finally {
    if (trial !== undefined) await rm(trial, { recursive: true, force: true });
  }
}

async function tryBucket(choice: Extract<DestinationChoice, { kind: 'bucket' }>): Promise<Trial> {
  const config = chosenBucket(choice);
  const { probeBucket } = await import('../../setup/join-bucket.ts');
  return { place: bucketAddress(config), holdsBackups: (await probeBucket(config)) !== undefined };
}

async function tryService(text: string, parts: AgentParts): Promise<Trial> {
  return withConnection(serviceAddress(text), parts, async ({ calls }) => {
    const providers = await identityProviders(calls);
    if (providers === undefined) await expectInterface(calls);
    const signIn = { password: true, provider: (providers ?? []).length > 0 };
    return { place: calls.baseUrl, holdsBackups: false, signIn };
  });
}

/** Those that a service names; nothing where it does not say, as one that is not Holdfast's own. */
export async function identityProviders(calls: ServiceCalls): Promise<readonly string[] | undefined> {
  try {
    const { providers } = await calls.call({
      method: 'GET',
      path: ACCOUNT_ENDPOINTS.settings,
      read: jsonResponse(authSettings),
      errorFor: (refusal) => (isRetryableStatus(refusal.status) ? undefined : new NothingSaid()),
    });
    return providers;
  } catch (error) {
    if (error instanceof NothingSaid || isHoldfastError(error, 'service_broken')) return undefined;
    throw error;
  }
}

/** Any service refuses to list devices to somebody who has not signed in; a web site answers something else. */
async function expectInterface(calls: ServiceCalls): Promise<void> {
  const knocked = calls.call({
    method: 'GET',
    path: ENDPOINTS.devices,
    read: async (response, address) => {
      await response.discard();
      throw noService(address, response.status);
    },
    errorFor: (refusal) => {
      if (isRetryableStatus(refusal.status)) return undefined;
      return isSignInNeeded(refusal) ? new NothingSaid() : noService(refusal.address, refusal.status);
    },
  });
  await knocked.catch((error: unknown) => {
    if (!(error instanceof NothingSaid)) throw error;
  });
}

function isSignInNeeded(refusal: ErrorResponse): boolean {
  return (refusal.status === 401 || refusal.status === 403) && !isHtml(refusal);
}

function noService(address: string, status: number): HoldfastError {
  return new HoldfastError('service_broken', { address, status, reason: 'no-service' });
}

class NothingSaid extends Error {
  override readonly name = 'NothingSaid';
}
