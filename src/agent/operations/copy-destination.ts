import { wrongUsage } from '../../base/errors/errors.ts';
import { copyRestorePoints } from '../../copy/copy-points.ts';
import type { CopyOptions, CopyProgress, CopyReport, CopySource } from '../../copy/types.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import { RecordedJob, type CopyJobProgress } from '../../jobs/recorded-job.ts';
import type { TransferLimits } from '../../remote/http/rate-limited-http.ts';
import { WorkerPool } from '../../workers/pool.ts';
import { partsAt, type AgentParts } from '../context/agent-parts.ts';
import { openContext, withContext, type ContextOptions } from '../context/open-context.ts';
import type { OperationContext } from '../context/operation-context.ts';
import { sourceOf } from '../context/set-source.ts';
import { withCompleteKeys } from './backup/backup-place.ts';
import { requireDestination } from '../home/find-destination.ts';
import { requireStoredSettings } from '../home/settings.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';

export interface CopyDestinationRequest extends TransferLimits {
  /** Names of destinations. */
  readonly from: string;
  readonly to: string;
  /** All sets that this computer has there by default. */
  readonly set?: string | undefined;
  /** True for only the newest restore point of each set. */
  readonly latest?: boolean | undefined;
}

export interface DestinationCopy extends CopyReport {
  /** Names of the destinations. */
  readonly from: string;
  readonly to: string;
}

/**
 * Copies this computer's restore points from one destination to another, and records that as a job of the second one. With failures
 * the job has failed; with restore points that could not be added, it has warnings.
 *
 * @throws HoldfastError `destination_unknown`, `set_unknown`, `usage`, and what `copyRestorePoints` throws
 */
export async function copyDestination(
  parts: AgentParts,
  { set, latest = false, ...request }: CopyDestinationRequest,
  { signal, onProgress }: CopyOptions = {},
): Promise<DestinationCopy> {
  const { home, clock } = parts;
  const stored = requireStoredSettings(home);
  const [source, target] = [requireDestination(stored, request.from), requireDestination(stored, request.to)];
  if (source.id === target.id) {
    throw wrongUsage({ problem: 'options', message: 'Name two destinations: they are the same.' });
  }
  const progress = new ProgressRelay(onProgress);
  const optionsOf = ({ destination }: DestinationEntry): ContextOptions => ({
    waiting: progress,
    ...(destination.kind === 'service' ? { limits: request } : {}),
  });
  const run = { ...optionsOf(target), job: `copy to ${target.name}` };
  return await withContext(partsAt(parts, target.id), run, async (to) => {
    const job = { kind: 'copy', backupSet: '', destination: target.id } as const;
    const asked = { from: source.id, sets: set === undefined ? undefined : [set], latest };
    const { journal } = to.catalog;
    const explain = (error: unknown): unknown => to.access.explain(error);
    const recorded = new RecordedJob(
      journal,
      clock,
      { ...job, request: asked },
      { ...(signal && { signal }), explain },
    );
    return await recorded.record(async () => {
      await using from = await openContext(partsAt(parts, source.id), { ...optionsOf(source), isPatient: true });
      try {
        await using pool = new WorkerPool();
        const { uploader } = to.access;
        const keyEnvelope = await envelopeFor(to, parts, signal);
        const copied = await copyRestorePoints(
          { sets: await setsToCopy(from, set, signal), latest },
          {
            from: { ...endOf(from), admits: from.keys.admits },
            to: { ...endOf(to), uploader, keyEnvelope },
            pool,
            keys: { ...to.keys, admits: undefined },
            clock,
          },
          {
            signal,
            onProgress: (state) => {
              recorded.update(jobProgressOf(state));
              progress.show(state);
            },
          },
        );
        const report = { from: source.name, to: target.name, ...copied };
        return {
          report,
          warnings: copied.pointsSkipped.filter(({ reason }) => reason !== 'present').length,
          failures: copied.failures.length,
        };
      } catch (error) {
        throwIfInterrupted(signal);
        throw from.access.explain(error);
      }
    });
  });
}

/**
 * Adds to a repository what its key envelopes lack, and returns the one that goes with the copies.
 *
 * @throws HoldfastError `key_changed`, `key_outdated`, and what the service or the storage throws
 */
async function envelopeFor(
  to: OperationContext,
  parts: AgentParts,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  if (to.access.repository) return (await withCompleteKeys(to, parts, { signal })).secrets.keyEnvelope;
  const { completeServiceKeys, takeServiceKeys } = await import('../destination/keys/service-keys.ts');
  const taken = await takeServiceKeys(to, parts, signal);
  return await completeServiceKeys(taken, to.keys.id, parts, signal);
}

/** A copy compares and copies one point after the other; its job goes through its phases only once. */
function jobProgressOf({ pointsTotal, pointsDone, bytesCopied }: CopyProgress): CopyJobProgress {
  const phase = pointsTotal === 0 ? 'planning' : 'downloading';
  return { kind: 'copy', phase, filesDone: pointsDone, bytesDone: bytesCopied };
}

function endOf({ access, settings, catalog }: OperationContext): CopySource {
  return { deviceId: settings.deviceId, service: access.service, downloader: access.downloader, catalog };
}

/** A service that lists no sets is asked for the configured ones. */
async function setsToCopy(
  from: OperationContext,
  set: string | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { access, settings } = from;
  if (set !== undefined) return [(await sourceOf(from, { set }, signal)).backupSet];
  const stored = await access.service.backupSets(settings.deviceId, signal);
  return (stored ?? settings.sets).map(({ name }) => name);
}

/** Adds to the progress why transfers wait. */
class ProgressRelay {
  readonly #onProgress: CopyOptions['onProgress'];
  #last: CopyProgress | undefined;
  #waiting: string | undefined;

  constructor(onProgress: CopyOptions['onProgress']) {
    this.#onProgress = onProgress;
  }

  update(waiting: string | undefined): void {
    this.#waiting = waiting;
    if (this.#last) this.show(this.#last);
  }

  show(progress: CopyProgress): void {
    this.#last = progress;
    this.#onProgress?.({ ...progress, waiting: this.#waiting });
  }
}
