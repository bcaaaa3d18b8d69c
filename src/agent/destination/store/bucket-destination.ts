import {
  DEFAULT_REGION,
  parseBucketAddress,
  type BucketConfig,
  type BucketCredentials,
} from '../../../storage/bucket/bucket-config.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';

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

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.username === ''
  );
}
