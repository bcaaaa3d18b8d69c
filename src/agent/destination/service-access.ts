import type { SettledKeys } from '../../format/crypto/settle-keys.ts';
import type { Secrets } from '../key-store/key-store.ts';
import type { Repository } from '../../repository/repository.ts';
import type { CollectionOccasion } from '../../repository/retention/tidy-repository.ts';
import type { BlobDownloader, BlobUploader, ServiceClient } from '../../remote/ports.ts';
import type { RetentionAnswer, RetentionRequest } from '../../protocol/retention.ts';

/** A destination opened for this home: its service and the transfer of its blobs. */
export interface ServiceAccess extends AsyncDisposable {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly downloader: BlobDownloader;
  /**
   * Shows or changes which restore points are kept.
   *
   * @throws HoldfastError `service_error` with status 404 at a service that does not announce `retention`
   */
  retention(request: RetentionRequest, signal?: AbortSignal): Promise<RetentionAnswer>;
  /** Does what is due once a day, after a backup. `undefined` if a service does it by itself. */
  tidy?(signal?: AbortSignal): Promise<void>;
  /** Collects what nobody needs any more, also before that is due. `undefined` if a service does it by itself. */
  collect?(occasion: CollectionOccasion, signal?: AbortSignal): Promise<void>;
  /** `undefined` for a service. */
  readonly repository?: Repository;
  /** The secrets as they are since the destination was opened, which may have brought a new key. */
  readonly secrets: Secrets;
  /** What its key envelopes say; of a service, the one that this home has stored. */
  readonly settled?: SettledKeys;
  /** The key envelopes that were there when it was opened. `undefined` for a service. */
  readonly envelopes?: readonly Uint8Array[];
  /** Translates an error of the service into one about this destination. */
  explain(error: unknown): unknown;
}
