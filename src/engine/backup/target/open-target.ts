import type { SeenTree } from '../../catalog/history.ts';
import type { DestinationCatalog } from '../../catalog/catalog.ts';
import { EarlyLane } from '../upload/early-lane.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import type { UploadObserver } from '../upload/upload-observer.ts';
import type { BackupDependencies, BackupRequest, BackupTarget, TargetAccess } from '../types.ts';

/** A destination that a run can send to. */
export interface OpenTarget extends Pick<TargetAccess, 'service' | 'uploader' | 'downloader' | 'keyEnvelope'> {
  readonly deviceId: string;
  readonly catalog: DestinationCatalog;
  /** The tree that this computer saw last; on a new computer, the service's newest. */
  readonly previous: SeenTree | undefined;
  /** `undefined` if the service accepts chunks only after their manifest. */
  readonly lane: EarlyLane | undefined;
  /** What a check of the set's restore points found. */
  readonly pointWarnings: Promise<readonly RunWarning[]>;
}

/** @throws what opening the destination throws */
export async function openTarget(
  { destination, deviceId, open }: BackupTarget,
  { set }: BackupRequest,
  dependencies: BackupDependencies,
  { observer, signal }: { readonly observer: UploadObserver; readonly signal: AbortSignal | undefined },
): Promise<OpenTarget> {
  const catalog = dependencies.catalog.at(destination);
  const { service, uploader, downloader, previousTree, checkPoints, keyEnvelope } = await open();
  const previous = catalog.history.seenTree(deviceId, set.name) ?? (await previousTree());
  const capabilities = await service.capabilities(signal);
  const { clock } = dependencies;
  const lane = capabilities.has('backup.open')
    ? new EarlyLane({ service, uploader, clock, deviceId, backupSet: set.name, observer, signal })
    : undefined;
  const pointWarnings = checkPoints?.() ?? Promise.resolve([]);
  // Awaited at the end of a run that succeeds.
  pointWarnings.catch(() => undefined);
  return { service, uploader, downloader, deviceId, catalog, previous, lane, pointWarnings, keyEnvelope };
}
