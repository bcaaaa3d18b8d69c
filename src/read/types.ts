import type { Clock } from '../base/clock.ts';
import type { DestinationCatalog } from '../catalog/catalog.ts';
import type { Keys } from '../format/crypto/keys.ts';
import type { BlobDownloader, ServiceClient } from '../remote/ports.ts';

/** What a restore point is read with. */
export interface ReadDependencies {
  readonly service: ServiceClient;
  readonly downloader: BlobDownloader;
  readonly catalog: DestinationCatalog;
  readonly keys: Keys;
  readonly clock: Clock;
}
