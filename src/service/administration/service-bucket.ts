import {
  credentialsFrom,
  DEFAULT_REGION,
  parseBucketAddress,
  type BucketConfig,
} from '../../storage/bucket/bucket-config.ts';
import type { ServiceConfig } from './service-config.ts';

export type ServiceBucket =
  | { readonly kind: 'folder' }
  | { readonly kind: 'bucket'; readonly config: BucketConfig }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Location of a service's blobs; the keys of a bucket are in the usual variables of S3 programs. */
export function bucketOf(
  { objects, objectsEndpoint: endpoint, objectsRegion: region }: ServiceConfig,
  environment: NodeJS.ProcessEnv,
): ServiceBucket {
  if (objects === undefined) return { kind: 'folder' };
  const address = parseBucketAddress(objects);
  if (!address) return { kind: 'wrong', problem: `${objects} is no address like s3://bucket or s3://bucket/prefix.` };
  const credentials = credentialsFrom(environment);
  if (!credentials) {
    return {
      kind: 'wrong',
      problem: 'The bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
    };
  }
  const config = { ...address, region: region ?? environment['AWS_REGION'] ?? DEFAULT_REGION, credentials };
  return { kind: 'bucket', config: endpoint === undefined ? config : { ...config, endpoint } };
}
