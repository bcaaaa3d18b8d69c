import type { SeenTree } from '../../../catalog/history.ts';
import type { DestinationCatalog } from '../../../catalog/catalog.ts';
import type { Compression } from '../../../model/compression.ts';
import type { BlobForm } from '../../../format/crypto/blob.ts';
import { blobFormFor } from '../../../remote/blobs/blob-form.ts';
import { EarlyLane } from '../upload/early-lane.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { UploadObserver } from '../upload/upload-observer.ts';
import type { BackupDependencies, BackupRequest, BackupTarget, TargetAccess } from '../types.ts';
import type { NewestTree } from '../../../read/source/tree.ts';

/** A destination that a run can send to. */
export interface OpenTarget extends Pick<
  TargetAccess,
  'service' | 'uploader' | 'downloader' | 'keyEnvelope' | 'judgeRun'
> {
  readonly deviceId: string;
  readonly catalog: DestinationCatalog;
  /** The tree that this computer saw last; on a new computer, the service's newest. */
  readonly previous: SeenTree | undefined;
  /** The service's newest tree, if the catalog does not know that. */
  readonly newest: NewestTree | undefined;
  readonly form: BlobForm;
  /** `undefined` if the service accepts chunks only after their manifest, or none as the early upload seals them. */
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
  const { service, uploader, downloader, previousTree, checkPoints, judgeRun, keyEnvelope } = await open();
  const seen = catalog.history.seenTree(deviceId, set.name);
  const setId = catalog.entries.findSet(set.name)?.setId;
  const isKnown = seen !== undefined && setId !== undefined && catalog.trees.find(setId) !== undefined;
  const newest = isKnown ? undefined : await previousTree();
  const previous = seen ?? newest?.footer;
  const capabilities = await service.capabilities(signal);
  const { clock } = dependencies;
  const form = blobFormFor(capabilities);
  const mayBeEarly = capabilities.has('backup.open') && (form === 'packed' || set.compression === 'off');
  const lane = mayBeEarly
    ? new EarlyLane({ service, uploader, clock, deviceId, backupSet: set.name, observer, signal })
    : undefined;
  const pointWarnings = checkPoints?.() ?? Promise.resolve([]);
  // Awaited at the end of a run that succeeds.
  pointWarnings.catch(() => undefined);
  return {
    service,
    uploader,
    downloader,
    deviceId,
    catalog,
    previous,
    newest,
    form,
    lane,
    pointWarnings,
    keyEnvelope,
    ...(judgeRun && { judgeRun }),
  };
}

/** Returns what chunks are compressed with for a destination. */
export function compressionAt({ form }: Pick<OpenTarget, 'form'>, { set }: BackupRequest): Compression {
  return form === 'plain' ? 'off' : (set.compression ?? 'default');
}
