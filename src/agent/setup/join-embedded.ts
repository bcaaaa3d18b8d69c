import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemCodeOf, wrongUsage } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { EmbeddedService } from '../../service/embedded.ts';
import type { AgentParts } from '../agent.ts';
import { embeddedAsDevice, openEmbedded } from '../destination/embedded-access.ts';
import { isInside, realPathOf } from '../sets/new-set.ts';
import { findAccount, type FoundAccount } from './account-state.ts';
import { chooseMasterKey } from './master-key.ts';
import type { JoinRequest, Joined } from '../operations/setup.ts';
import { requireDevice, thisDevice } from '../destination/this-device.ts';

/**
 * Stores in a folder, with the service inside this program. The folder is made where it is missing; one that holds a
 * store is joined, and any other that is not empty is refused.
 *
 * @throws HoldfastError `usage`, `destination_*`, `phrase_needed`, `phrase_other_account`, `passphrase_wrong`
 */
export async function joinEmbedded(
  folder: string,
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const directory = resolve(folder);
  if (isInside(realPathOf(parts.home.folder), realPathOf(directory))) {
    throw wrongUsage({ problem: 'inside-own-folder', path: parts.home.folder, folder: directory });
  }
  const before = contentsOf(directory);
  try {
    await using embedded = disposable(await openEmbedded(directory, { create: true }));
    return await joinStore(embedded.service, directory, request, parts, signal);
  } catch (error) {
    // What was made here a moment ago holds nothing of anybody's.
    if (before !== 'occupied') removeMade(directory, before);
    throw error;
  }
}

/** Whether anybody's backups are in the store of a folder. @throws HoldfastError `destination_*` */
export async function storeHoldsBackups(directory: string, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  await using embedded = disposable(await openEmbedded(directory));
  const devices = await embedded.service.listDevices();
  return (await findStoreAccount(embedded.service, directory, devices, clock, signal)).hasBackups;
}

/** @param place the folder, or the address of the bucket */
export async function joinStore(
  embedded: EmbeddedService,
  directory: string,
  request: JoinRequest,
  { clock }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<Joined> {
  const devices = await embedded.listDevices();
  const known = request.deviceId === undefined ? undefined : requireDevice(devices, request.deviceId);
  const account = await findStoreAccount(embedded, directory, devices, clock, signal);
  const keys = await chooseMasterKey(request.keys, account);
  const deviceId = known?.id ?? (await embedded.registerDevice(thisDevice(request.deviceName))).deviceId;
  return {
    destination: { kind: 'embedded', directory },
    deviceId,
    deviceName: known?.name ?? request.deviceName,
    secrets: keys,
    adopted: request.keys.master !== undefined || account.hasBackups,
    storedSets: account.sets,
    devices,
  };
}

/** What stands in the store, seen as one of its devices: each may read all of its account. */
async function findStoreAccount(
  embedded: EmbeddedService,
  directory: string,
  devices: readonly { readonly id: string }[],
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<FoundAccount> {
  const [first] = devices;
  if (!first) return { sets: [], hasBackups: false, envelopes: [] };
  const access = embeddedAsDevice(embedded, directory, first.id, clock);
  return findAccount(
    access,
    devices.map(({ id }) => id),
    signal,
  );
}

type Contents = 'missing' | 'empty' | 'occupied';

/** A folder that cannot be looked at is left to whoever opens it, who says why. */
function contentsOf(directory: string): Contents {
  try {
    return readdirSync(directory).length === 0 ? 'empty' : 'occupied';
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT' ? 'missing' : 'occupied';
  }
}

function removeMade(directory: string, before: 'missing' | 'empty'): void {
  if (!existsSync(directory)) return;
  if (before === 'missing') rmSync(directory, { recursive: true, force: true });
  else for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
}

function disposable(service: EmbeddedService): AsyncDisposable & { readonly service: EmbeddedService } {
  return { service, [Symbol.asyncDispose]: () => service.close() };
}
