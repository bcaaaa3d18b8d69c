import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HoldfastError, isHoldfastError, wrongUsage } from '../../base/errors/errors.ts';
import type { Device } from '../../protocol/devices.ts';
import { Catalog } from '../../catalog/catalog.ts';
import { deriveKeys } from '../../format/crypto/keys.ts';
import { findRepository } from '../../repository/create-repository.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../remote/http/retrier.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { isNotFound } from '../../base/errors/is-not-found.ts';
import { checkAccountKeys } from '../destination/keys/account-keys.ts';
import { openDestinationStorage } from '../destination/store/open-destination-storage.ts';
import { openAccess } from '../destination/open-access.ts';
import type { ServiceAccess } from '../destination/service-access.ts';
import { locationOf } from '../home/destination-location.ts';
import { homeAt, type Home } from '../home/home.ts';
import type { Settings } from '../home/settings.ts';
import { keyRingIn, type Secrets } from '../key-store/key-store.ts';

/**
 * Proves that a destination holds the backups of this home: this device is registered there, its backups are under this
 * key, and it has the newest restore point of each set in the catalog. Saves nothing on either side. The caller holds the
 * home's lock.
 *
 * @param candidate settings that name the destination
 * @throws HoldfastError `usage` (`destination-other`, `destination-older` with the `set`), `phrase_other_account`,
 *   `device_refused`, `destination_*`, `service_*`
 */
export async function proveSameBackups(
  candidate: Settings,
  secrets: Secrets,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<void> {
  await refuseOtherRepository(candidate, secrets, parts);
  // The projection of this home knows the restore points that an older copy lacks, so a repository is read anew.
  const scratch = homeAt(join(parts.home.scratchFolder, 'proof'));
  await rm(scratch.folder, { recursive: true, force: true });
  try {
    await prove(candidate, secrets, parts, scratch, signal);
  } finally {
    await rm(scratch.folder, { recursive: true, force: true });
  }
}

/** A store without a repository, or with one under another key, has none of these backups. */
async function refuseOtherRepository(
  { destination }: Settings,
  secrets: Secrets,
  { clock }: AgentParts,
): Promise<void> {
  if (destination.kind === 'service') return;
  await using storage = await openDestinationStorage(destination, secrets, { clock, policy: INTERACTIVE_RETRY_POLICY });
  const found = await findRepository(storage);
  const { ids } = deriveKeys(keyRingIn(secrets));
  const isOwn = found !== undefined && ids.includes(found.description.keyId);
  if (!isOwn) throw other(destination);
}

async function prove(
  candidate: Settings,
  secrets: Secrets,
  parts: AgentParts,
  scratch: Home,
  signal: AbortSignal | undefined,
): Promise<void> {
  const keyStore = parts.keyStore.at(candidate.credentials);
  const { clock, environment, home } = parts;
  const options = {
    home: scratch,
    clock,
    environment,
    settings: candidate,
    secrets,
    keyStore,
    policy: INTERACTIVE_RETRY_POLICY,
  };
  await using access = await openAccess(options);
  using catalog = new Catalog(home.catalogFile);
  try {
    const device = await expectDevice(candidate, access, signal);
    for (const { name } of candidate.sets) {
      const source = { deviceId: candidate.deviceId, backupSet: name };
      // A repository opens only under its key. Its envelope is a chunk, which may be among what was lost.
      if (candidate.destination.kind === 'service') {
        await checkAccountKeys(access, source, deriveKeys(keyRingIn(secrets)), signal);
      }
      const known = catalog.at(candidate.id).history.newestPoint(source.deviceId, source.backupSet);
      if (known && !(await hasPoint(access, source, known.backup_id, signal))) {
        if (device?.last_backup === null) throw other(candidate.destination);
        throw wrongUsage({ problem: 'destination-older', directory: locationOf(candidate.destination), set: name });
      }
    }
  } catch (error) {
    throw access.explain(error);
  }
}

/**
 * Returns this device; `undefined` if a service does not list its devices, which has accepted this one's sign-in. A repository
 * lists whoever opens it, with `null` as its last backup if it has none.
 */
async function expectDevice(
  { destination, deviceId }: Settings,
  { service }: ServiceAccess,
  signal: AbortSignal | undefined,
): Promise<Device | undefined> {
  let devices;
  try {
    devices = await service.devices(signal);
  } catch (error) {
    if (isHoldfastError(error, 'permission_denied') && destination.kind === 'service') return undefined;
    throw error;
  }
  const device = devices.find(({ id }) => id === deviceId);
  if (!device) throw other(destination);
  return device;
}

/** A service that lists no restore points is trusted to have it. */
async function hasPoint(
  { service }: ServiceAccess,
  { deviceId, backupSet }: { readonly deviceId: string; readonly backupSet: string },
  backupId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const points = await service.restorePoints(deviceId, backupSet, signal);
    return !points || points.some(({ backup_id: id }) => id === backupId);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function other(destination: Settings['destination']): HoldfastError {
  return wrongUsage({ problem: 'destination-other', directory: locationOf(destination) });
}
