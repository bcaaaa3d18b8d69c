import { wrongUsage } from '../../base/errors.ts';
import { realPathOf } from '../../engine/filesystem/real-path.ts';
import type { Destination } from '../home/settings.ts';
import type { ChosenStore } from './chosen-store.ts';

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
