import { readEnvelope } from '../../engine/crypto/key-envelope.ts';
import type { EmbeddedService } from '../../service/embedded.ts';
import { abandonBucket, lookIntoBucket, tryHomeBucket } from '../../service/home-bucket.ts';
import {
  bucketAddress,
  credentialsFrom,
  type BucketConfig,
  type BucketCredentials,
} from '../../service/objects/s3/bucket-config.ts';
import type { AgentParts } from '../agent.ts';
import { bucketConfigOf, bucketFolder, homeBucketOf, type BucketPlace } from '../destination/bucket-destination.ts';
import { openEmbedded } from '../destination/embedded-access.ts';
import { asDestinationError } from '../destination/embedded-errors.ts';
import { wrongUsage } from '../../base/errors.ts';
import { joinStore } from './join-embedded.ts';
import { chooseMasterKey } from './master-key.ts';
import type { JoinRequest, Joined } from '../operations/setup.ts';

/**
 * Stores in a bucket, with the service inside this program and its metadata in the home. A part of a bucket that holds
 * backups is joined: it says under which key they are, and holds a copy of their metadata.
 *
 * @throws HoldfastError `usage`, `destination_*`, `service_unreachable`, `permission_denied`, `phrase_needed`,
 *   `phrase_other_account`, `passphrase_wrong`
 */
export async function joinBucket(
  place: BucketPlace & { readonly credentials?: BucketCredentials; readonly folder?: string },
  request: JoinRequest,
  parts: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const credentials = place.credentials ?? credentialsFrom(parts.environment);
  if (!credentials) throw wrongUsage({ problem: 'bucket-keys' });
  const config = bucketConfigOf(place, credentials);
  const address = bucketAddress(config);
  const found = await named(config, lookIntoBucket(config));
  const envelopes = found ? [{ envelope: readEnvelope(found), bytes: found }] : [];
  const keys = await chooseMasterKey(request.keys, { hasBackups: found !== undefined, envelopes });
  const directory = bucketFolder(parts.home, place.folder);
  const bucket = homeBucketOf(config, keys.masterKey, keys.keyEnvelope);
  let embedded: EmbeddedService | undefined;
  try {
    embedded = await openEmbedded(directory, { create: true, bucket });
    const known = { ...request, keys: { ...request.keys, master: keys.masterKey, passphrase: undefined } };
    const joined = await joinStore(embedded, address, known, parts, signal);
    return {
      ...joined,
      destination: {
        kind: 'bucket',
        address,
        endpoint: config.endpoint,
        region: config.region,
        ...(place.folder !== undefined && { folder: place.folder }),
      },
      secrets: { ...keys, bucket: credentials },
      adopted: request.keys.master !== undefined || found !== undefined,
    };
  } catch (error) {
    await embedded?.close();
    embedded = undefined;
    // What was made here a moment ago holds nothing of anybody's.
    if (!found) await abandonBucket(config, directory, keys.keyEnvelope).catch(() => undefined);
    throw error;
  } finally {
    await embedded?.close();
  }
}

/**
 * The key envelope of the backups in a bucket, nothing where there are none, after it was tried whether backups could be
 * kept there.
 *
 * @throws HoldfastError `permission_denied` (`bucket-write`, `bucket-read`, `bucket-delete`), `service_broken`
 *   (`bucket-altered`), `usage` (`bucket-unconditional`), `destination_*`, `service_unreachable`
 */
export async function tryInto(config: BucketConfig): Promise<Uint8Array | undefined> {
  return named(config, tryHomeBucket(config));
}

async function named<Answer>(config: BucketConfig, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw asDestinationError(error, bucketAddress(config));
  }
}
