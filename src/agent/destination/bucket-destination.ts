import { join } from 'node:path';
import { deriveMetadataKey } from '../../engine/crypto/keys.ts';
import type { HomeBucket } from '../../service/embedded/home-bucket.ts';
import {
  DEFAULT_REGION,
  parseBucketAddress,
  type BucketConfig,
  type BucketCredentials,
} from '../../s3/bucket-config.ts';
import { wrongUsage } from '../../base/errors.ts';
import type { Home } from '../home/home.ts';

/** A bucket as a person enters it. */
export interface BucketPlace {
  /** `s3://BUCKET[/PREFIX]` */
  readonly address: string;
  /** Used for stores other than Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/** @throws HoldfastError `usage` if the address or the endpoint is malformed */
export function bucketConfigOf(
  { address, endpoint, region }: BucketPlace,
  credentials: BucketCredentials,
): BucketConfig {
  const place = parseBucketAddress(address);
  if (!place) throw wrongUsage({ problem: 'bucket-address', bucket: address });
  if (endpoint !== undefined && !isEndpoint(endpoint)) throw wrongUsage({ problem: 'bucket-endpoint', endpoint });
  return { ...place, endpoint, region: region ?? DEFAULT_REGION, credentials };
}

/** Adds the key that seals the copy of the metadata. */
export function homeBucketOf(config: BucketConfig, masterKey: Uint8Array, keyEnvelope?: Uint8Array): HomeBucket {
  return { config, metadataKey: deriveMetadataKey(masterKey), keyEnvelope };
}

/** The folder of a bucket's metadata in the home. */
export function bucketFolder(home: Home, name = 'bucket'): string {
  return join(home.folder, name);
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.username === ''
  );
}
