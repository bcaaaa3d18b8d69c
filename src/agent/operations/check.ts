import { join } from 'node:path';
import { isHoldfastError } from '../../base/errors/errors.ts';
import { DESCRIPTION_COPY, DESCRIPTION_FILE } from '../../format/repository/file-names.ts';
import type { CheckRequest } from '../../jobs/job-request.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import type { RestoreProgress, RunOptions } from '../../jobs/progress.ts';
import { RecordedJob } from '../../jobs/recorded-job.ts';
import { initialProgress } from '../../restore/progress-meter.ts';
import { checkRepository, type CheckOptions, type CheckProgress } from '../../repository/check/check-repository.ts';
import type { CheckReport } from '../../repository/check/report.ts';
import { findRepository, type FoundRepository } from '../../repository/create-repository.ts';
import { showHidden } from '../../repository/locks/show-hidden.ts';
import { PinnedRepository } from '../../repository/pinned-repository.ts';
import { recoverId, writeDescription } from '../../repository/repair/repair-description.ts';
import { repairRepository, type RepairReport } from '../../repository/repair/repair-repository.ts';
import type { Repository } from '../../repository/repository.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { withContext } from '../context/open-context.ts';
import type { OperationContext } from '../context/operation-context.ts';
import { openDestinationStorage } from '../destination/store/open-destination-storage.ts';
import { REPOSITORIES_FOLDER, writerKeyOf } from '../destination/keys/writer-key.ts';
import { requireSettings } from '../home/settings.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import { keyRingIn } from '../key-store/key-store.ts';
import { requireStorage } from './require-storage.ts';

export type { CheckReport, Loss, PointName } from '../../repository/check/report.ts';
export type { DamageProblem } from '../../format/repository/damage.ts';
export type { RepairReport } from '../../repository/repair/repair-repository.ts';

/**
 * Checks the destination as a whole: see `checkRepository`. With findings, losses or a wrong projection, the job is recorded as failed.
 *
 * @throws HoldfastError `usage` `check-of-service`; `interrupted`; what the store throws
 */
export async function checkDestination(
  parts: AgentParts,
  request: CheckRequest,
  run: RunOptions<RestoreProgress>,
): Promise<CheckReport> {
  return await withRepository(parts, { kind: 'check', request }, run, async (repository, _context, options) => {
    const report = await checkRepository(repository, options);
    const { findingsTotal, lostFiles, isProjectionSound } = report;
    return { report, warnings: 0, failures: findingsTotal + lostFiles + Number(!isProjectionSound) };
  });
}

/**
 * Repairs the destination as far as possible: see `repairRepository`. If something stays lost, the job is recorded with warnings.
 *
 * @throws as `checkDestination`, and HoldfastError `device_cloned`
 */
export async function repairDestination(
  parts: AgentParts,
  request: CheckRequest,
  run: RunOptions<RestoreProgress>,
): Promise<RepairReport> {
  const { shown, written } = await restoreDescription(parts, run.signal);
  return await withRepository(parts, { kind: 'repair', request }, run, async (repository, { secrets }, options) => {
    const report = await repairRepository(repository, {
      ...options,
      keyEnvelope: secrets.keyEnvelope,
      takesUnproven: request.takesUnproven,
      shown,
      written,
    });
    const { after, lostPoints } = report;
    return { report, warnings: after.findingsTotal + after.lostFiles + lostPoints.length };
  });
}

interface RepositoryJob {
  readonly kind: 'check' | 'repair';
  readonly request: CheckRequest;
}

/** Opens the repository, does the work and records it in the journal. */
async function withRepository<Report>(
  parts: AgentParts,
  { kind, request }: RepositoryJob,
  run: RunOptions<RestoreProgress>,
  work: (
    repository: Repository,
    context: OperationContext,
    options: CheckOptions,
  ) => Promise<{ readonly report: Report; readonly warnings: number; readonly failures?: number }>,
): Promise<Report> {
  requireStorage(parts, 'check-of-service');
  const { signal } = run;
  try {
    return await withContext(parts, { job: kind }, async (context) => {
      const { journal, destination } = context.catalog;
      const job = new RecordedJob(journal, parts.clock, { kind, backupSet: '', destination, request }, run);
      const progress = new CheckMeter(kind);
      const onProgress = (update: CheckProgress): void => {
        const shown = progress.next(update);
        job.update(shown);
        run.onProgress?.(shown);
      };
      const scratch = join(parts.home.scratchFolder, 'check.sqlite');
      const options = { scratch, percent: request.percent, signal, onProgress };
      return await job.record(async () => {
        try {
          return await work(context.access.repository!, context, options);
        } catch (error) {
          throwIfInterrupted(signal);
          throw error;
        }
      });
    });
  } catch (error) {
    throwIfInterrupted(signal);
    throw error;
  }
}

const PHASES = { ledger: 'planning', packs: 'downloading', points: 'finishing' } as const;

/** Converts progress. A repair checks the repository twice; the second time it stays in the last phase. */
class CheckMeter {
  readonly #kind: RepositoryJob['kind'];
  #shown: RestoreProgress;

  constructor(kind: RepositoryJob['kind']) {
    this.#kind = kind;
    this.#shown = initialProgress(kind);
  }

  next({ phase, packsTotal, packsDone, bytesTotal, bytesDone }: CheckProgress): RestoreProgress {
    if (this.#shown.phase === 'finishing') return this.#shown;
    this.#shown = {
      ...initialProgress(this.#kind),
      phase: PHASES[phase],
      filesTotal: packsTotal,
      filesDone: packsDone,
      bytesTotal,
      bytesDone,
    };
    return this.#shown;
  }
}

/**
 * Makes a repository open: shows files again that were hidden, and writes the description again if it and its copy are lost or exchanged,
 * for a repository that this computer has used before. Returns the files that were hidden, and those that were written.
 */
async function restoreDescription(
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<{ readonly shown: readonly string[]; readonly written: readonly string[] }> {
  requireStorage(parts, 'check-of-service');
  const { home, clock } = parts;
  const settings = requireSettings(home, parts.destination);
  const { destination } = settings;
  if (destination.kind === 'service') return { shown: [], written: [] };
  const secrets = await requireSecrets(parts.keyStore.at(settings.credentials), settings);
  await using storage = await openDestinationStorage(destination, secrets, { clock, isNew: true });
  const shown = await showHidden(storage, signal);
  const { deviceKey } = secrets;
  const keyRing = keyRingIn(secrets);
  const folder = join(home.folder, REPOSITORIES_FOLDER);
  const pinned = deviceKey === undefined ? undefined : new PinnedRepository(folder, writerKeyOf(deviceKey).id).read();
  const described = await describedId(() => findRepository(storage, signal, keyRing));
  if (described !== undefined && described === (pinned ?? described)) return { shown, written: [] };
  // Only an id that opens files which lie there is written, so another repository in the same place stays as it is.
  const id = await recoverId(storage, folder, keyRing, signal);
  if (id === undefined || id === described) return { shown, written: [] };
  await writeDescription(storage, id, keyRing, clock.now(), signal);
  return { shown, written: [DESCRIPTION_FILE, DESCRIPTION_COPY] };
}

const UNDESCRIBED: ReadonlySet<string | undefined> = new Set(['forged', 'undescribed']);

/** Returns `undefined` if nothing describes the repository. A description that a newer program wrote is none that is lost. */
async function describedId(find: () => Promise<FoundRepository | undefined>): Promise<string | undefined> {
  try {
    return (await find())?.description.id;
  } catch (error) {
    if (isHoldfastError(error, 'usage') && error.details.problem === 'destination-foreign') return undefined;
    const isLost = isHoldfastError(error, 'destination_missing') && UNDESCRIBED.has(error.details.problem);
    if (isLost) return undefined;
    throw error;
  }
}
