import { wrongUsage } from '../../base/errors/errors.ts';
import { realPathOf } from '../../os/filesystem/real-path.ts';
import type { Destination } from '../../model/destination.ts';
import { sftpAddress } from '../../storage/sftp/sftp-config.ts';
import type { BucketPlace } from '../destination/store/bucket-destination.ts';
import type { ChosenStore } from './chosen-store.ts';
import type { SetupDestination } from './join-request.ts';

/** The new location of backups that were moved. */
export type MovedDestination =
  | { readonly kind: 'folder'; readonly directory: string }
  | ({ readonly kind: 'store' } & ChosenStore)
  | { readonly kind: 'service'; readonly url: string };

/** Replaces the location in a destination. @throws HoldfastError `usage` (`destination-kind`) */
export function movedTo(before: Destination, moved: MovedDestination): Destination {
  if (before.kind === 'folder' && moved.kind === 'folder') return { ...before, directory: moved.directory };
  if (before.kind === 'service' && moved.kind === 'service') return { ...before, url: moved.url };
  if (moved.kind === 'store' && before.kind === moved.destination.kind) return moved.destination;
  throw wrongUsage({ problem: 'destination-kind' });
}

/** Returns `true` if the location is unchanged. Another store never counts as unchanged, since its secrets may differ. */
export function isSameLocation(now: Destination, moved: MovedDestination): boolean {
  if (now.kind === 'folder' && moved.kind === 'folder') {
    return realPathOf(now.directory) === realPathOf(moved.directory);
  }
  return now.kind === 'service' && moved.kind === 'service' && now.url === moved.url;
}

/** Returns whether a chosen destination is at the location of another one. Keys and sign-ins do not matter. */
export function isAtLocation(one: Destination, chosen: SetupDestination): boolean {
  switch (chosen.kind) {
    case 'folder':
      return one.kind === 'folder' && realPathOf(one.directory) === realPathOf(chosen.directory);
    case 'bucket':
      return one.kind === 'bucket' && placeInBucket(one) === placeInBucket(chosen);
    case 'sftp':
      return one.kind === 'sftp' && sftpAddress(one) === sftpAddress(chosen);
    case 'webdav':
      return one.kind === 'webdav' && withoutEnd(one.url) === withoutEnd(chosen.url);
    case 'rclone':
      return one.kind === 'rclone' && withoutEnd(one.remote) === withoutEnd(chosen.remote);
    case 'device':
    case 'user':
    case 'provider':
    case 'session':
      return one.kind === 'service' && withoutEnd(one.url) === withoutEnd(chosen.url);
  }
}

function placeInBucket({ address, endpoint }: BucketPlace): string {
  return `${endpoint === undefined ? '' : (URL.parse(endpoint)?.origin ?? endpoint)} ${withoutEnd(address)}`;
}

function withoutEnd(address: string): string {
  return address.replace(/\/+$/, '');
}
