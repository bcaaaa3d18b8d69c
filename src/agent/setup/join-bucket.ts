import { wrongUsage } from '../../base/errors.ts';
import { readEnvelope } from '../../engine/crypto/key-envelope.ts';
import type { EmbeddedService } from '../../service/embedded/embedded.ts';
import { abandonBucket, lookIntoBucket, tryHomeBucket } from '../../service/embedded/home-bucket.ts';
import { bucketAddress, credentialsFrom, type BucketConfig } from '../../s3/bucket-config.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { bucketConfigOf, bucketFolder, homeBucketOf } from '../destination/bucket-destination.ts';
import { openEmbedded } from '../destination/embedded-access.ts';
import { asDestinationError } from '../destination/embedded-errors.ts';
import { joinStore } from './join-embedded.ts';
import type { Joined, JoinRequest, SetupDestinationOf } from './join-request.ts';
import { chooseMasterKey } from './master-key.ts';

/**
 * Joins a bucket, with the embedded service and its metadata in the home. A prefix that holds backups holds a copy of
 * their metadata and identifies their key.
 *
 * @throws HoldfastError `usage`, `destination_*`, `service_unreachable`, `permission_denied`, `phrase_needed`,
 *   `phrase_other_account`, `passphrase_wrong`
 */
export async function joinBucket(
  destination: SetupDestinationOf<'bucket'>,
  request: JoinRequest,
  { home, clock, environment }: AgentParts,
  signal?: AbortSignal,
): Promise<Joined> {
  const { folder } = destination;
  const credentials = destination.credentials ?? credentialsFrom(environment);
  if (!credentials) throw wrongUsage({ problem: 'bucket-keys' });
  const config = bucketConfigOf(destination, credentials);
  const address = bucketAddress(config);
  const found = await envelopeInBucket(config);
  const envelopes = found ? [{ envelope: readEnvelope(found), bytes: found }] : [];
  const keys = await chooseMasterKey(request.keys, { hasBackups: found !== undefined, envelopes });
  const directory = bucketFolder(home, folder);
  const bucket = homeBucketOf(config, keys.masterKey, keys.keyEnvelope);
  let embedded: EmbeddedService | undefined;
  try {
    embedded = await openEmbedded(directory, { create: true, bucket });
    const settled = { ...request, keys: { ...request.keys, master: keys.masterKey, passphrase: undefined } };
    const joined = await joinStore({ embedded, place: address, clock }, settled, signal);
    const { endpoint, region } = config;
    return {
      ...joined,
      destination: { kind: 'bucket', address, endpoint, region, ...(folder !== undefined && { folder }) },
      secrets: { ...keys, bucket: credentials },
      adopted: request.keys.master !== undefined || found !== undefined,
    };
  } catch (error) {
    await embedded?.close();
    embedded = undefined;
    // The store that was created above contains no backups.
    if (!found) await abandonBucket(config, directory, keys.keyEnvelope).catch(() => undefined);
    throw error;
  } finally {
    await embedded?.close();
  }
}

/** Reads the key envelope of the backups in a bucket. `undefined` if there are none. @throws HoldfastError `destination_*` … */
export function envelopeInBucket(config: BucketConfig): Promise<Uint8Array | undefined> {
  return explained(config, lookIntoBucket(config));
}

/**
 * Like `envelopeInBucket`, after a trial whether backups can be stored in the bucket.
 *
 * @throws HoldfastError `permission_denied` (`bucket-write`, `bucket-read`, `bucket-delete`), `service_broken`
 *   (`bucket-altered`), `usage` (`bucket-unconditional`), `destination_*`, `service_unreachable`
 */
export function probeBucket(config: BucketConfig): Promise<Uint8Array | undefined> {
  return explained(config, tryHomeBucket(config));
}

async function explained<Answer>(config: BucketConfig, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    throw asDestinationError(error, bucketAddress(config));
  }
}
