import { wrongUsage } from '../../base/errors.ts';
import { realPathOf } from '../../engine/filesystem/real-path.ts';
import { bucketAddress, type BucketConfig } from '../../s3/bucket-config.ts';
import type { Destination } from '../home/settings.ts';

/** The new location of backups that were moved. */
export type MovedDestination =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'bucket'; readonly config: BucketConfig }
  | { readonly kind: 'service'; readonly url: string };

/** Replaces the location in a destination. @throws HoldfastError `usage` (`destination-kind`) */
export function movedTo(before: Destination, moved: MovedDestination): Destination {
  if (before.kind === 'embedded' && moved.kind === 'embedded') return { ...before, directory: moved.directory };
  if (before.kind === 'service' && moved.kind === 'service') return { ...before, url: moved.url };
  if (before.kind !== 'bucket' || moved.kind !== 'bucket') throw wrongUsage({ problem: 'destination-kind' });
  const { endpoint: _before, ...rest } = before;
  const { config } = moved;
  return {
    ...rest,
    address: bucketAddress(config),
    region: config.region,
    ...(config.endpoint !== undefined && { endpoint: config.endpoint }),
  };
}

/** Returns `true` if the location is unchanged. A bucket never counts as unchanged, since its keys or endpoint may differ. */
export function isSameLocation(now: Destination, moved: MovedDestination): boolean {
  if (now.kind === 'embedded' && moved.kind === 'embedded') {
    return realPathOf(now.directory) === realPathOf(moved.directory);
  }
  return now.kind === 'service' && moved.kind === 'service' && now.url === moved.url;
}
