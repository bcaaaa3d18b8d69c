import { wrongUsage } from '../../base/errors.ts';
import type { Destination } from '../home/settings.ts';
import { realPathOf } from '../sets/new-set.ts';
import type { BucketConfig, BucketCredentials } from '../../service/objects/s3/bucket-config.ts';
import { bucketAddress } from '../../service/objects/s3/bucket-config.ts';

/** Where backups that are somewhere already are to be found from now on. */
export type MovedPlace =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'bucket'; readonly config: BucketConfig }
  | { readonly kind: 'service'; readonly url: string };

/** The destination that a place of before has become. @throws HoldfastError `usage` (`destination-kind`) */
export function destinationAt(before: Destination, place: MovedPlace): Destination {
  if (before.kind === 'embedded' && place.kind === 'embedded') return { ...before, directory: place.directory };
  if (before.kind === 'service' && place.kind === 'service') return { ...before, url: place.url };
  if (before.kind !== 'bucket' || place.kind !== 'bucket') throw wrongUsage({ problem: 'destination-kind' });
  const { endpoint: _before, ...rest } = before;
  const { config } = place;
  return {
    ...rest,
    address: bucketAddress(config),
    region: config.region,
    ...(config.endpoint !== undefined && { endpoint: config.endpoint }),
  };
}

/** Whether that is where the backups are now. A bucket may have other keys, or another endpoint. */
export function isSamePlace(now: Destination, place: MovedPlace): boolean {
  if (now.kind === 'embedded' && place.kind === 'embedded') {
    return realPathOf(now.directory) === realPathOf(place.directory);
  }
  return now.kind === 'service' && place.kind === 'service' && now.url === place.url;
}

export function credentialsOf(place: MovedPlace): BucketCredentials | undefined {
  return place.kind === 'bucket' ? place.config.credentials : undefined;
}
