import { join } from 'node:path';
import { isHoldfastError, wrongUsage } from '../../base/errors.ts';
import { throwIfInterrupted } from '../../engine/job/interruption.ts';
import type { RestoreProgress, RunOptions } from '../../engine/job/progress.ts';
import { initialProgress } from '../../engine/restore/progress-meter.ts';
import { checkRepository, type CheckOptions, type CheckProgress } from '../../repository/check/check-repository.ts';
import type { CheckReport } from '../../repository/check/report.ts';
import { findRepository, type FoundRepository } from '../../repository/create-repository.ts';
import { PinnedRepository } from '../../repository/pinned-repository.ts';
import { recoverId, writeDescription } from '../../repository/repair/repair-description.ts';
import { repairRepository, type RepairReport } from '../../repository/repair/repair-repository.ts';
import type { Repository } from '../../repository/repository.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { withContext } from '../context/open-context.ts';
import type { OperationContext } from '../context/operation-context.ts';
import { openDestinationStorage } from '../destination/open-destination-storage.ts';
import { REPOSITORIES_FOLDER, writerKeyOf } from '../destination/repository-access.ts';
import { locationOf } from '../home/destination-location.ts';
import { requireSettings } from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';

export type { CheckReport, Loss } from '../../repository/check/report.ts';
export type { DamageProblem } from '../../repository/format/damage.ts';
export type { RepairReport } from '../../repository/repair/repair-repository.ts';

export interface CheckRequest {
  /** The share of packs that are read completely, chosen at random; `undefined` for none. */
  readonly percent?: number | undefined;
}

type Run = Pick<RunOptions<RestoreProgress>, 'signal' | 'onProgress'>;

/**
 * Checks the destination as a whole: see `checkRepository`.
 *
 * @throws HoldfastError `usage` `check-of-service`; `interrupted`; what the store throws
 */
export async function checkDestination(parts: AgentParts, request: CheckRequest, run: Run): Promise<CheckReport> {
  return await withRepository(parts, 'check', run, (repository) =>
    checkRepository(repository, optionsOf(parts, request, run)),
  );
}

/**
 * Repairs the destination as far as possible: see `repairRepository`.
 *
 * @throws as `checkDestination`, and HoldfastError `device_cloned`
 */
export async function repairDestination(parts: AgentParts, request: CheckRequest, run: Run): Promise<RepairReport> {
  await restoreDescription(parts, run.signal);
  return await withRepository(parts, 'repair', run, (repository, { secrets }) =>
    repairRepository(repository, { ...optionsOf(parts, request, run), keyEnvelope: secrets.keyEnvelope }),
  );
}

async function withRepository<Report>(
  parts: AgentParts,
  job: 'check' | 'repair',
  { signal }: Run,
  work: (repository: Repository, context: OperationContext) => Promise<Report>,
): Promise<Report> {
  requireStorage(parts);
  try {
    return await withContext(parts, { job }, (context) => work(context.access.repository!, context));
  } catch (error) {
    throwIfInterrupted(signal);
    throw error;
  }
}

function requireStorage(parts: AgentParts): void {
  const { destination } = requireSettings(parts.home, parts.destination);
  if (destination.kind !== 'service') return;
  throw wrongUsage({ problem: 'check-of-service', address: locationOf(destination) });
}

function optionsOf({ home }: AgentParts, { percent }: CheckRequest, { signal, onProgress }: Run): CheckOptions {
  const show = onProgress && ((progress: CheckProgress): void => onProgress(progressOf(progress)));
  return { scratch: join(home.scratchFolder, 'check.sqlite'), percent, signal, onProgress: show };
}

/** The files are those of the repository. */
function progressOf({ phase, packsTotal, packsDone, bytesTotal, bytesDone }: CheckProgress): RestoreProgress {
  return {
    ...initialProgress('verify'),
    phase: phase === 'points' ? 'finishing' : 'downloading',
    filesTotal: packsTotal,
    filesDone: packsDone,
    bytesTotal,
    bytesDone,
  };
}

/** Writes the description again if it and its copy are lost or exchanged, for a repository that this computer has used before. */
async function restoreDescription(parts: AgentParts, signal: AbortSignal | undefined): Promise<void> {
  requireStorage(parts);
  const { home, clock } = parts;
  const settings = requireSettings(home, parts.destination);
  const { destination } = settings;
  if (destination.kind === 'service') return;
  const secrets = await requireSecrets(parts.keyStore.at(settings.credentials), settings);
  await using storage = await openDestinationStorage(destination, secrets, { clock, isNew: true });
  const { masterKey, deviceKey } = secrets;
  const folder = join(home.folder, REPOSITORIES_FOLDER);
  const pinned = deviceKey === undefined ? undefined : new PinnedRepository(folder, writerKeyOf(deviceKey).id).read();
  const described = await describedId(() => findRepository(storage, signal, masterKey));
  if (described !== undefined && described === (pinned ?? described)) return;
  // Only an id that opens files which lie there is written, so another repository in the same place stays as it is.
  const id = await recoverId(storage, folder, masterKey, signal);
  if (id !== undefined && id !== described) await writeDescription(storage, id, masterKey, clock.now(), signal);
}

/** Returns `undefined` if nothing describes the repository. A description that a newer program wrote is none that is lost. */
async function describedId(find: () => Promise<FoundRepository | undefined>): Promise<string | undefined> {
  try {
    return (await find())?.description.id;
  } catch (error) {
    if (isHoldfastError(error, 'usage') && error.details.problem === 'destination-foreign') return undefined;
    if (isHoldfastError(error, 'destination_missing') && error.details.problem === 'forged') return undefined;
    throw error;
  }
}
