import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemCodeOf } from '../../engine/errors.ts';
import type { EmbeddedService } from '../../service/embedded.ts';
import type { AgentParts } from '../agent.ts';
import { embeddedAsOwner, openEmbedded } from '../destination/embedded-access.ts';
import { wrongUsage } from '../failure.ts';
import { isInside, realPathOf } from '../sets/new-set.ts';
import { findAccount } from './account-state.ts';
import { chooseMasterKey } from './master-key.ts';
import type { JoinRequest, Joined } from './setup.ts';
import { requireDevice, thisDevice } from './this-device.ts';

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
    throw wrongUsage('inside-own-folder', { path: parts.home.folder, folder: directory });
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

async function joinStore(
  embedded: EmbeddedService,
  directory: string,
  request: JoinRequest,
  { clock }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<Joined> {
  const devices = await embedded.listDevices();
  const known = request.deviceId === undefined ? undefined : requireDevice(devices, request.deviceId);
  const account = await findAccount(
    await embeddedAsOwner(embedded, directory, clock),
    devices.map(({ id }) => id),
    signal,
  );
  const keys = await chooseMasterKey(request.keys, account);
  const device = known
    ? { deviceId: known.id, deviceKey: await embedded.renewDeviceKey(known.id) }
    : await embedded.registerDevice(thisDevice(request.deviceName));
  return {
    destination: { kind: 'embedded', directory },
    deviceId: device.deviceId,
    deviceName: known?.name ?? request.deviceName,
    secrets: { ...keys, deviceKey: device.deviceKey },
    adopted: request.keys.master !== undefined || account.hasBackups,
    storedSets: account.sets,
  };
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
