import type { Clock } from '../../engine/clock.ts';
import { asDevice, connect, withTokens, type Connection } from '../../engine/transfer/connection.ts';
import type { DeviceCredentials } from '../../engine/transfer/device-token-source.ts';
import { HandlerHttp } from '../../engine/transfer/handler-http.ts';
import type { ServiceClient } from '../../engine/transfer/ports.ts';
import type { RetryPolicy } from '../../engine/transfer/retrier.ts';
import { openEmbeddedService, type EmbeddedService } from '../../service/embedded.ts';
import type { AccountAccess } from './account-keys.ts';
import { EmbeddedDownloader, EmbeddedUploader } from './embedded-blobs.ts';
import { asDestinationError } from './embedded-errors.ts';
import type { ServiceAccess } from './service-access.ts';

/** The base address by which the service inside this program knows itself. */
const EMBEDDED_URL = 'http://holdfast.embedded';

/** It is there or it is not: what happens in this process is not waited for. */
const EMBEDDED_POLICY: RetryPolicy = { attempts: 3, firstPauseMs: 100, longestPauseMs: 1_000, maxWaitMs: 1_000 };

/** @throws HoldfastError `destination_missing`, `destination_unwritable`, `destination_full`, `usage` */
export async function openEmbedded(directory: string, options?: { create: boolean }): Promise<EmbeddedService> {
  try {
    return await openEmbeddedService(directory, options);
  } catch (error) {
    throw asDestinationError(error, directory);
  }
}

/** The service inside this program, as a device of it. It is closed at the end. */
export function embeddedAsDevice(
  embedded: EmbeddedService,
  directory: string,
  credentials: DeviceCredentials,
  clock: Clock,
): ServiceAccess {
  return {
    ...withBlobs(asDevice(connectTo(embedded, clock), credentials).service, embedded, directory),
    explain: (error) => asDestinationError(error, directory),
    [Symbol.asyncDispose]: () => embedded.close(),
  };
}

/** The same as whoever owns the folder: everything in it, of every device. */
export async function embeddedAsOwner(
  embedded: EmbeddedService,
  directory: string,
  clock: Clock,
): Promise<AccountAccess> {
  const token = await embedded.ownerToken();
  const tokens = {
    refusal: 'signed_out',
    token: () => Promise.resolve(token),
    renew: () => embedded.ownerToken(),
  } as const;
  return withBlobs(withTokens(connectTo(embedded, clock), tokens).service, embedded, directory);
}

function connectTo(embedded: EmbeddedService, clock: Clock): Connection {
  const http = new HandlerHttp((request) => embedded.fetch(request));
  return connect({ baseUrl: EMBEDDED_URL, http, clock, policy: EMBEDDED_POLICY });
}

function withBlobs(
  service: ServiceClient,
  embedded: EmbeddedService,
  directory: string,
): Pick<ServiceAccess, 'service' | 'uploader' | 'downloader'> {
  return {
    service,
    uploader: new EmbeddedUploader(embedded, directory),
    downloader: new EmbeddedDownloader(embedded, directory),
  };
}
