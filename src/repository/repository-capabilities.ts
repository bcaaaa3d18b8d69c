import type { Capability } from '../protocol/extensions.ts';

/** Extensions of the interface that a repository has in the place of a service. */
export const REPOSITORY_CAPABILITIES: ReadonlySet<Capability> = new Set<Capability>([
  'backup.abort',
  'backup.compression',
  'backup.init.delta',
  'backup.open',
  'backup.complete.signals',
  'backup.complete.time',
  'restore_points',
  'backup_sets',
]);
