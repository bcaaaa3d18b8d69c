import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemCodeOf, wrongUsage } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { isInside, realPathOf } from '../../engine/filesystem/real-path.ts';
import type { EmbeddedService } from '../../service/embedded/embedded.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { requireDevice } from '../destination/account-devices.ts';
import { embeddedAsDevice, openEmbedded } from '../destination/embedded-access.ts';
import { thisDevice } from '../destination/this-device.ts';
import { findAccount, type FoundAccount } from './account-state.ts';
import type { Joined, JoinRequest, KnownDevice } from './join-request.ts';
import { chooseMasterKey } from './master-key.ts';

/**
 * Joins a folder, with the embedded service. A missing folder is created, one that holds a store is joined, and any other
 * that is not empty is refused.
 *
 * @throws HoldfastError `usage`, `destination_*`, `phrase_needed`, `phrase_other_account`, `passphrase_wrong`
 */
export async function joinEmbedded(
  folder: string,
  request: JoinRequest,
  { home, clock }: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const directory = resolve(folder);
  if (isInside(realPathOf(home.folder), realPathOf(directory))) {
    throw wrongUsage({ problem: 'inside-own-folder', path: home.folder, folder: directory });
  }
  const before = contentsOf(directory);
  try {
    await using opened = await openStore(directory, { create: true });
    return {
      destination: { kind: 'embedded', directory },
      ...(await joinStore({ embedded: opened.service, place: directory, clock }, request, signal)),
    };
  } catch (error) {
    // The store that was created above contains no backups.
    if (before !== 'occupied') removeCreated(directory, before);
    throw error;
  }
}

/** Tests whether the store in a folder holds backups. @throws HoldfastError `destination_*` */
export async function storeHoldsBackups(directory: string, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  await using opened = await openStore(directory);
  const store = { embedded: opened.service, place: directory, clock };
  return (await findStoreAccount(store, await opened.service.listDevices(), signal)).hasBackups;
}

/** A store that the embedded service has opened. */
interface OpenedStore {
  readonly embedded: EmbeddedService;
  /** The folder, or the address of the bucket. */
  readonly place: string;
  readonly clock: Clock;
}

export async function joinStore(
  store: OpenedStore,
  request: JoinRequest,
  signal: AbortSignal | undefined,
): Promise<Omit<Joined, 'destination'>> {
  const { embedded } = store;
  const devices = await embedded.listDevices();
  const known = request.deviceId === undefined ? undefined : requireDevice(devices, request.deviceId);
  const account = await findStoreAccount(store, devices, signal);
  const keys = await chooseMasterKey(request.keys, account);
  const deviceId = known?.id ?? (await embedded.registerDevice(thisDevice(request.deviceName))).deviceId;
  return {
    deviceId,
    deviceName: known?.name ?? request.deviceName,
    secrets: keys,
    adopted: request.keys.master !== undefined || account.hasBackups,
    storedSets: account.sets,
    devices,
  };
}

/** Reads the store as one of its devices, since each may read all of its account. */
async function findStoreAccount(
  { embedded, place, clock }: OpenedStore,
  devices: readonly Pick<KnownDevice, 'id'>[],
  signal: AbortSignal | undefined,
): Promise<FoundAccount> {
  const ids = devices.map(({ id }) => id);
  const [deviceId] = ids;
  if (deviceId === undefined) return { sets: [], hasBackups: false, envelopes: [] };
  return findAccount(embeddedAsDevice(embedded, { place, deviceId, clock }), ids, signal);
}

type Contents = 'missing' | 'empty' | 'occupied';

/** An unreadable folder counts as occupied: opening it reports the reason. */
function contentsOf(directory: string): Contents {
  try {
    return readdirSync(directory).length === 0 ? 'empty' : 'occupied';
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT' ? 'missing' : 'occupied';
  }
}

function removeCreated(directory: string, before: 'missing' | 'empty'): void {
  if (!existsSync(directory)) return;
  if (before === 'missing') rmSync(directory, { recursive: true, force: true });
  else for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true });
}

async function openStore(
  directory: string,
  options?: { readonly create: boolean },
): Promise<AsyncDisposable & { readonly service: EmbeddedService }> {
  const service = await openEmbedded(directory, options);
  return { service, [Symbol.asyncDispose]: () => service.close() };
}
