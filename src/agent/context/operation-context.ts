import type { DestinationCatalog } from '../../catalog/catalog.ts';
import type { Keys } from '../../format/crypto/keys.ts';
import type { ServiceAccess } from '../destination/service-access.ts';
import type { Settings } from '../home/settings.ts';
import type { Secrets } from '../key-store/key-store.ts';
import type { WatchedPoints } from './watched-points.ts';

/** The opened resources of one operation: settings, keys, catalog and destination. */
export interface OperationContext {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly keys: Keys;
  readonly catalog: DestinationCatalog;
  readonly access: ServiceAccess;
  /** What the lists of restore points that were read with it may hide. Empty in a backup, which looks for that itself. */
  readonly watched: WatchedPoints;
}
