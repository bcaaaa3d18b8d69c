import type { DestinationCatalog } from '../../catalog/catalog.ts';
import type { Keys } from '../../format/crypto/keys.ts';
import type { ServiceAccess } from '../destination/service-access.ts';
import type { Settings } from '../home/settings.ts';
import type { Secrets } from '../key-store/key-store.ts';

/** The opened resources of one operation: settings, keys, catalog and destination. */
export interface OperationContext {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly keys: Keys;
  readonly catalog: DestinationCatalog;
  readonly access: ServiceAccess;
}
