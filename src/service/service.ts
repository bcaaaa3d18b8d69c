import { Hono } from 'hono';
import type { Logger } from 'pino';
import { AccessTokens } from './auth/tokens/access-tokens.ts';
import { DEFAULT_ACCOUNT_SETTINGS } from './auth/account-settings.ts';
import type { AccountSettings } from './auth/account-settings.ts';
import { CallerCache } from './auth/tokens/caller-cache.ts';
import { ProviderSignIn } from './auth/providers/provider-sign-in.ts';
import { SigningKeys } from './auth/tokens/signing-keys.ts';
import { UploadReservations, withReservations } from './backup/upload-reservations.ts';
import { SessionActivity } from './backup/session-activity.ts';
import type { ServiceContext } from './context.ts';
import type { ServiceClock } from './service-clock.ts';
import type { ServiceMail } from './mail/service-mail.ts';
import { problemAnswer } from './request/answer.ts';
import { accountRoutes } from './http/account-routes.ts';
import { authRoutes } from './http/auth-routes.ts';
import { erasureRoutes } from './http/erasure-routes.ts';
import { backupRoutes } from './http/backup-routes.ts';
import { billingRoutes } from './http/billing-routes.ts';
import { deviceRoutes } from './http/device-routes.ts';
import { memberRoutes } from './http/member-routes.ts';
import { objectRoutes } from './http/object-routes.ts';
import { openApiRoutes } from './http/open-api/open-api-routes.ts';
import { packRoutes } from './http/pack-routes.ts';
import { passkeyRoutes } from './http/passkey-routes.ts';
import { portalRoutes } from './http/portal/portal-routes.ts';
import { providerRoutes } from './http/provider-routes.ts';
import { restoreRoutes } from './http/restore-routes.ts';
import { retentionRoutes } from './http/retention-routes.ts';
import { addRoutes } from './http/routes.ts';
import type { Route } from './http/routes.ts';
import { newIdentifier } from './identifier.ts';
import { Housekeeping, type HousekeepingMetrics } from './housekeeping.ts';
import type { CopyState } from './operation/copy/copy-state.ts';
import { BlobIntake } from './backup/blob-intake.ts';
import type { DiskReserve } from './disk/disk-reserve.ts';
import type { ObjectStore } from './objects/object-store.ts';
import { UrlSigner } from './objects/presigned-url.ts';
import { failureFacts } from './failure-facts.ts';
import { currentRequest } from './request/request-scope.ts';
import type { PortalPage } from './portal-api/page.ts';
import { relyingPartyOf } from './auth/factors/relying-party.ts';
import { LARGEST_PACK } from '../protocol/bodies/blob-pack.ts';
import { PacedDownloads } from './request/paced-downloads.ts';
import { ByteBudget, type ByteLimits } from './request/byte-budget.ts';
import { ServiceProblem, toServiceProblem } from './request/problem.ts';
import { withUnwrittenRestores } from './restore/unwritten-restores.ts';
import { RestoreChunkMemory } from './restore/restore-chunks.ts';
import { withProtectedChunks } from './retention/protected-chunks.ts';
import type { MetadataStore } from './metadata-store.ts';

/** The packed chunks of a 2 TiB file, at 1 MiB each, have 84 MiB. */
const MANIFEST_MEMORY: ByteLimits = { request: 256 * 2 ** 20, account: 256 * 2 ** 20, total: 512 * 2 ** 20 };
const MANIFEST_SPOOL: ByteLimits = { request: 2 ** 30, account: 2 ** 30, total: 4 * 2 ** 30 };
/** 512 downloads of large blobs for an account. */
const DOWNLOAD_MEMORY: ByteLimits = { request: 2 ** 20, account: 128 * 2 ** 20, total: 256 * 2 ** 20, isFair: true };
/** 16 whole packs for an account. */
const PACK_MEMORY: ByteLimits = {
  request: LARGEST_PACK,
  account: 16 * LARGEST_PACK,
  total: 256 * 2 ** 20,
  isFair: true,
};

export interface ServiceOptions {
  readonly metadata: MetadataStore;
  readonly objects: ObjectStore;
  readonly reserve?: DiskReserve | undefined;
  /** Folder for manifests whose device comes after their files. */
  readonly spoolDirectory: string;
  /** Public address without a trailing slash; by default the address of each request. */
  readonly publicUrl?: string;
  /** Differences from `DEFAULT_ACCOUNT_SETTINGS`. */
  readonly accounts?: Partial<AccountSettings>;
  /** Sends mail, if it is configured. */
  readonly mail?: ServiceMail;
  /** The portal, if there is one. */
  readonly page?: PortalPage;
  readonly clock?: ServiceClock;
  /** Without it, the data are those of this service. */
  readonly copyState?: CopyState;
  /** Counts failures of housekeeping. */
  readonly metrics?: HousekeepingMetrics;
  readonly log: Logger;
}

export interface Service {
  /** The whole interface and object storage. Never rejects. */
  fetch(request: Request): Promise<Response>;
  readonly context: ServiceContext;
  readonly tokens: AccessTokens;
  /** Every path with its methods. */
  readonly routes: readonly Route[];
  /** Starts housekeeping, now and every hour. */
  keepHouse(): void;
  /** Resolves when housekeeping has finished its current work; does nothing before `keepHouse`. */
  tidy(): Promise<void>;
  /** Stops the service's own work and closes its stores, after all requests have ended. */
  close(): Promise<void>;
}

/** Creates the control plane and object storage as one function from request to response. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { objects, log, spoolDirectory } = options;
  const reservations = new UploadReservations();
  const protectedChunks = withProtectedChunks(options.metadata.chunks, options.metadata.collection);
  const metadata = {
    ...options.metadata,
    chunks: withReservations(protectedChunks, reservations),
    restores: withUnwrittenRestores(options.metadata.restores),
  };
  const clock = options.clock ?? { now: () => Date.now() };
  const intake = new BlobIntake(objects, metadata.chunks);
  const signer = new UrlSigner(await metadata.secret('presigned-url', 32));
  const activity = new SessionActivity(metadata.sessions);
  const service: ServiceContext = {
    metadata,
    callers: new CallerCache(clock),
    accountSettings: { ...DEFAULT_ACCOUNT_SETTINGS, ...options.accounts },
    objects,
    reserve: options.reserve,
    intake,
    activity,
    reservations,
    packMemory: new ByteBudget(PACK_MEMORY),
    downloads: new PacedDownloads(new ByteBudget(DOWNLOAD_MEMORY)),
    signer,
    relyingParty: relyingPartyOf(options.publicUrl),
    clock,
    mail: options.mail,
    log,
    copyState: options.copyState,
    manifestMemory: new ByteBudget(MANIFEST_MEMORY),
    manifestSpool: new ByteBudget(MANIFEST_SPOOL),
    spoolDirectory,
  };
  const tokens = new AccessTokens(new SigningKeys((name) => metadata.secret(name, 32)));
  const restores = new RestoreChunkMemory();
  const housekeeping = new Housekeeping(service, options.metrics);
  const context = { service, tokens, providers: new ProviderSignIn(service, tokens), restores };

  const app = new Hono();
  const fetch = async (request: Request): Promise<Response> => app.fetch(request);
  const portal = options.page && { page: options.page, key: await metadata.secret('portal', 32), fetch };
  const interfaceRoutes = [
    ...backupRoutes(context, () => housekeeping.wake()),
    ...restoreRoutes(context),
    ...authRoutes(context),
    ...accountRoutes(context),
    ...passkeyRoutes(context),
    ...memberRoutes(context),
    ...erasureRoutes(context),
    ...providerRoutes(context),
    ...deviceRoutes(context),
    ...billingRoutes(context),
    ...retentionRoutes(context, () => housekeeping.wake()),
    ...objectRoutes(context),
    ...packRoutes(context),
  ];
  const routes = [
    ...interfaceRoutes,
    ...openApiRoutes(interfaceRoutes),
    ...(portal ? portalRoutes(context, portal) : []),
  ];
  addRoutes(app, routes, options.publicUrl);
  app.notFound(() => problemAnswer(new ServiceProblem('not_found', { detail: 'no such endpoint' })));
  app.onError((error) => problemAnswer(reported(error, log)));

  return {
    fetch,
    context: service,
    tokens,
    routes,
    keepHouse: () => housekeeping.start(),
    tidy: () => housekeeping.tidy(),
    close: async () => {
      await housekeeping.stop();
      await intake
        .settle()
        .catch((error: unknown) => log.error({ failure: failureFacts(error) }, 'blobs did not settle'));
      options.mail?.close();
      await objects.close();
      await metadata.close();
    },
  };
}

/** The response to an unexpected error contains only an id; the log contains the error. */
function reported(error: unknown, log: Logger): ServiceProblem {
  const problem = toServiceProblem(error);
  if (problem.status < 500) return problem;
  const request = currentRequest()?.id ?? newIdentifier('req');
  log.error({ request_id: request, failure: failureFacts(problem.facts.cause ?? problem) }, problem.code);
  const { detail } = problem.facts;
  return new ServiceProblem(problem.code, {
    ...problem.facts,
    detail: detail === undefined ? `request ${request}` : `${detail} (request ${request})`,
  });
}
