import { isHoldfastError } from '../../base/errors/errors.ts';
import { isNotFound } from '../../base/errors/is-not-found.ts';
import type { RestorePoint } from '../../protocol/extensions.ts';
import { timeOfPoint } from '../../base/point-time.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import { listRestorePoints } from '../../read/list.ts';
import type { FileHistory } from '../file-history.ts';
import { fillPoint, type FillDependencies } from './fill-point.ts';
import type { HistoryPoint, HistorySource } from '../points.ts';
import { DAY } from '../../model/units.ts';

/** Milliseconds after which a damaged tree is read again: a repair may have mended it. */
const RETRY_MS = DAY;

export interface FillProgress {
  /** Restore points whose trees were read, of all. */
  readonly known: number;
  readonly total: number;
}

export interface FillSourceOptions {
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FillProgress) => void) | undefined;
  /** Reads all damaged trees again. */
  readonly retriesDamaged?: boolean;
}

/**
 * Brings a source up to date: forgets restore points that the destination no longer lists, and adds the others, newest first. What was
 * added stays if it is interrupted.
 *
 * @throws HoldfastError `interrupted`, and what the destination throws
 */
export async function fillSource(
  history: FileHistory,
  reference: HistorySource,
  deps: FillDependencies,
  { now, signal, onProgress, retriesDamaged = false }: FillSourceOptions,
): Promise<void> {
  const from = { deviceId: reference.device, backupSet: reference.set };
  const listed = await listedPoints(from, deps, signal);
  const source = history.change(() => history.points.addSource(reference));
  updatePoints(history, source, listed, now);
  const isTried = ({ triedAt }: HistoryPoint): boolean => !retriesDamaged && Math.abs(now - triedAt) < RETRY_MS;
  const all = history.points.all(source);
  const missing = all.filter((point) => point.state === 'waiting' || (point.state === 'damaged' && !isTried(point)));
  let known = all.filter(({ state }) => state === 'known').length;
  onProgress?.({ known, total: all.length });
  for (const point of missing.toReversed()) {
    throwIfInterrupted(signal);
    try {
      const outcome = await fillPoint(history, { source, from, point }, deps, { now, signal });
      if (outcome === 'known') known += 1;
    } catch (error) {
      // Removed since it was listed.
      if (!isHoldfastError(error, 'no_restore_point')) throw error;
      history.removePoint(source, point.time);
    }
    onProgress?.({ known, total: all.length });
  }
}

async function listedPoints(
  from: { readonly deviceId: string; readonly backupSet: string },
  deps: FillDependencies,
  signal: AbortSignal | undefined,
): Promise<readonly RestorePoint[]> {
  try {
    return await listRestorePoints(from, deps, signal);
  } catch (error) {
    // A service does not know a set that was never backed up.
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** Records what the destination lists. Of several restore points with one time, a restore reads the same one. */
function updatePoints(history: FileHistory, source: number, listed: readonly RestorePoint[], now: number): void {
  const byTime = new Map(listed.map((point) => [Date.parse(point.restore_point), point]));
  for (const { time, backupId } of history.points.all(source)) {
    if (byTime.get(time)?.backup_id !== backupId) history.removePoint(source, time);
  }
  history.change(() => {
    for (const [time, point] of byTime) {
      if (!(time > 0)) continue;
      const made = Date.parse(timeOfPoint(point));
      if (history.points.state(source, time) !== undefined) history.points.setMade(source, time, made);
      else history.points.put(source, { time, made, backupId: point.backup_id, state: 'waiting', triedAt: 0 });
    }
    history.points.setListed(source, now);
  });
}
