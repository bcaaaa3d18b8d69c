import { isHoldfastError } from '../../../base/errors/errors.ts';
import { failureOf, type Failure } from '../../../base/errors/failure.ts';
import type { FileHistory } from '../../../history/file-history.ts';
import { fillSource, type FillProgress } from '../../../history/fill/fill-source.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import type { OperationRun } from '../../context/operation-run.ts';
import { withContext } from '../../context/open-context.ts';
import { sourceOf, type SetReference } from '../../context/set-source.ts';
import { requireStoredSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { deviceAt } from '../restore/choose-destination.ts';
import { changeHistory } from './change-history.ts';

export interface UpdateRequest extends SetReference {
  /** Reads trees again that could not be read before. */
  readonly retriesDamaged?: boolean | undefined;
}

export interface UpdateRun extends OperationRun {
  /** Called for one destination after the other. */
  readonly onProgress?: ((entry: DestinationEntry, progress: FillProgress) => void) | undefined;
}

/** A destination that could not be asked, or of which the answer could not be stored. */
export interface FailedUpdate {
  readonly entry: DestinationEntry;
  readonly failure: Failure;
  readonly error: unknown;
}

/**
 * Brings the history of a set up to date with each destination, or with that of the parts. Returns those that could not be asked.
 *
 * @throws HoldfastError `not_set_up`, `destination_unknown`, `home_unwritable`, `interrupted`
 */
export async function updateHistory(
  parts: AgentParts,
  { retriesDamaged = false, ...reference }: UpdateRequest,
  { signal, onProgress }: UpdateRun,
): Promise<readonly FailedUpdate[]> {
  const stored = requireStoredSettings(parts.home);
  const entries = stored.destinations.filter(({ id }) => parts.destination === undefined || id === parts.destination);
  const update = async (history: FileHistory): Promise<readonly FailedUpdate[]> => {
    forgetOthers(history, stored.destinations);
    const failed: FailedUpdate[] = [];
    for (const entry of entries) {
      try {
        const device = reference.device === undefined ? {} : { device: deviceAt(stored, entry, reference.device) };
        await withContext(partsAt(parts, entry.id), {}, async (context) => {
          const { access, catalog, keys } = context;
          const { deviceId, backupSet } = await sourceOf(context, { set: reference.set, ...device }, signal);
          const { service, downloader } = access;
          await fillSource(
            history,
            { destination: entry.id, device: deviceId, set: backupSet },
            { service, downloader, catalog, keys, clock: parts.clock },
            { now: parts.clock.now(), signal, retriesDamaged, onProgress: (progress) => onProgress?.(entry, progress) },
          );
        });
      } catch (error) {
        const failure = failureOf(error);
        if (!failure || failure.code === 'interrupted' || signal?.aborted) throw error;
        failed.push({ entry, failure, error });
      }
    }
    return failed;
  };
  try {
    return await changeHistory(parts.home, update);
  } catch (error) {
    if (!isHoldfastError(error, 'home_busy')) throw error;
    // What is known can be read meanwhile.
    return entries.map((entry) => ({ entry, failure: failureOf(error)!, error }));
  }
}

/** Forgets destinations that were removed. */
function forgetOthers(history: FileHistory, destinations: readonly DestinationEntry[]): void {
  const ids = new Set(destinations.map(({ id }) => id));
  for (const { destination, device, set } of history.points.sources()) {
    if (!ids.has(destination)) history.removeSource({ destination, device, set });
  }
}
