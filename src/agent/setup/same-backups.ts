import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Catalog } from '../../engine/catalog/catalog.ts';
import { envelopeFits, readEnvelope } from '../../engine/crypto/key-envelope.ts';
import { deriveKeys } from '../../engine/crypto/keys.ts';
import { HoldfastError } from '../../base/errors.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../engine/transfer/http/retrier.ts';
import type { AgentParts } from '../agent.ts';
import { checkAccountKeys } from '../destination/account-keys.ts';
import { asDestinationError } from '../destination/embedded-errors.ts';
import { bucketConfigOf } from '../destination/bucket-destination.ts';
import { openAccess, type ServiceAccess } from '../destination/service-access.ts';
import { wrongUsage } from '../../base/failure.ts';
import { placeOf, type Settings } from '../home/settings.ts';
import type { Secrets } from '../key-store/key-store.ts';
import { lookIntoBucket } from '../../service/home-bucket.ts';
import { isNotFound } from '../context/set-source.ts';

/**
 * Makes sure that the backups of this home stand at a place: that it knows this device, that what is there is under this
 * key, and that of each set the newest restore point is there that this computer knows of. Nothing is saved, here or there.
 *
 * @param candidate settings that name the place
 * @throws HoldfastError `usage` (`destination-other`, `destination-older` with the `set`), `phrase_other_account`,
 *   `device_refused`, `destination_*`, `service_*`
 */
export async function proveSameBackups(
  candidate: Settings,
  secrets: Secrets,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<void> {
  if (candidate.destination.kind !== 'bucket') return prove(candidate, secrets, parts, signal);
  await refuseOtherBucket(candidate, secrets);
  // What another bucket holds must not come into the place of this one's metadata before it was looked at.
  const folder = join('scratch', `moved-${randomUUID()}`);
  try {
    await prove({ ...candidate, destination: { ...candidate.destination, folder } }, secrets, parts, signal);
  } finally {
    await rm(join(parts.home.folder, folder), { recursive: true, force: true });
  }
}

/** To open a bucket that is nobody's would begin backups there. */
async function refuseOtherBucket({ destination }: Settings, { bucket, masterKey }: Secrets): Promise<void> {
  if (destination.kind !== 'bucket' || !bucket) throw other(destination);
  const found = await lookIntoBucket(bucketConfigOf(destination, bucket)).catch((error: unknown) => {
    throw asDestinationError(error, placeOf(destination));
  });
  if (!found) throw other(destination);
  if (!envelopeFits(readEnvelope(found), deriveKeys(masterKey))) throw new HoldfastError('phrase_other_account');
}

async function prove(
  candidate: Settings,
  secrets: Secrets,
  { home, keyStore, clock, environment }: AgentParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = { home, clock, environment, policy: INTERACTIVE_RETRY_POLICY };
  await using access = await openAccess(candidate, secrets, keyStore.at(candidate.credentials), options);
  using catalog = new Catalog(home.catalogFile);
  try {
    await expectDevice(candidate, access, signal);
    for (const { name } of candidate.sets) {
      const source = { deviceId: candidate.deviceId, backupSet: name };
      await checkAccountKeys(access, source, deriveKeys(secrets.masterKey), signal);
      const known = catalog.history.newestPoint(source.deviceId, source.backupSet);
      if (known) await expectPoint(candidate, name, known.backup_id, access, signal);
    }
  } catch (error) {
    throw access.explain(error);
  }
}

/** A service that lists no devices to us has let us in as this one. */
async function expectDevice(
  { destination, deviceId }: Settings,
  { service }: ServiceAccess,
  signal: AbortSignal | undefined,
): Promise<void> {
  let devices;
  try {
    devices = await service.devices(signal);
  } catch (error) {
    const isRefused = error instanceof HoldfastError && error.code === 'permission_denied';
    if (isRefused && destination.kind === 'service') return;
    // A store that has never heard of the device lets nobody in under its name.
    throw destination.kind === 'service' ? error : other(destination, error);
  }
  if (!devices.some(({ id }) => id === deviceId)) throw other(destination);
}

async function expectPoint(
  { destination, deviceId }: Settings,
  set: string,
  backupId: string,
  { service }: ServiceAccess,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const points = await service.restorePoints(deviceId, set, signal);
    if (!points || points.some(({ backup_id: id }) => id === backupId)) return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  throw wrongUsage('destination-older', { directory: placeOf(destination), set });
}

function other(destination: Settings['destination'], cause?: unknown): HoldfastError {
  return new HoldfastError('usage', { problem: 'destination-other', directory: placeOf(destination) }, { cause });
}
