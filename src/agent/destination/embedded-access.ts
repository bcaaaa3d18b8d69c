import type { Clock } from '../../base/clock.ts';
import { connect, connectWithTokens } from '../../engine/transfer/connection.ts';
import { HandlerHttp } from '../../engine/transfer/http/handler-http.ts';
import { RenewingTokenSource } from '../../engine/transfer/sign-in/renewing-token-source.ts';
import type { RetryPolicy } from '../../engine/transfer/http/retrier.ts';
import type { EmbeddedService } from '../../service/embedded/embedded.ts';
import type { HomeBucket } from '../../service/embedded/home-bucket.ts';
import { bucketAddress } from '../../s3/bucket-config.ts';
import { openThreadedService } from '../../service/embedded/threaded-service.ts';
import { EmbeddedDownloader, EmbeddedUploader } from './embedded-blobs.ts';
import { asDestinationError, asRetentionError } from './embedded-errors.ts';
import type { ServiceAccess } from './service-access.ts';

/** The base URL of requests to the embedded service. */
const EMBEDDED_URL = 'http://holdfast.embedded';

/** Short, since no network is in between. */
const EMBEDDED_POLICY: RetryPolicy = { attempts: 3, firstPauseMs: 100, longestPauseMs: 1_000, maxWaitMs: 1_000 };

const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

/** Opens the embedded service on a folder. @throws HoldfastError `destination_missing`, `destination_unwritable`, `destination_full`, `usage` */
export async function openEmbedded(
  directory: string,
  options?: { readonly create?: boolean; readonly bucket?: HomeBucket },
): Promise<EmbeddedService> {
  try {
    return await openThreadedService(directory, options);
  } catch (error) {
    throw asDestinationError(error, options?.bucket ? bucketAddress(options.bucket.config) : directory);
  }
}

export interface EmbeddedDevice {
  /** The folder, or the address of the bucket. */
  readonly place: string;
  readonly deviceId: string;
  readonly clock: Clock;
}

/**
 * Accesses the embedded service as one of its devices. Anyone who can open the folder owns its content, so the device
 * needs no key. The caller closes the service.
 */
export function embeddedAsDevice(
  embedded: EmbeddedService,
  { place, deviceId, clock }: EmbeddedDevice,
): Omit<ServiceAccess, keyof AsyncDisposable> {
  const renewing = new RenewingTokenSource({
    rejectionCode: 'device_refused',
    clock,
    renew: async () => ({ token: await embedded.deviceToken(deviceId), expiresAt: clock.now() + TOKEN_LIFETIME_MS }),
  });
  const http = new HandlerHttp((request) => embedded.fetch(request));
  const connection = connect({ baseUrl: EMBEDDED_URL, http, clock, policy: EMBEDDED_POLICY });
  return {
    service: connectWithTokens(connection, renewing).service,
    uploader: new EmbeddedUploader(embedded, place),
    downloader: new EmbeddedDownloader(embedded, place),
    retention: (request) =>
      embedded.retention(request).catch((error: unknown) => {
        throw asRetentionError(error);
      }),
    explain: (error) => asDestinationError(error, place),
  };
}
