import type { RestorePoint } from '../../../protocol/extensions.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { isNotFound } from '../../../base/errors/is-not-found.ts';
import type { Clock } from '../../../base/clock.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { CLOCK_SLACK_MS } from '../../../read/source/restore-point.ts';
import { isDataFailure, readTreeFooter } from '../../../read/source/tree.ts';
import type { VerifiedFooter } from '../../../format/tree/record.ts';
import type { OperationContext } from '../../context/operation-context.ts';
import { changesOfKnown } from '../../context/known-points.ts';

interface CheckedSet {
  readonly set: string;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** Restore points that one run reads; the next one reads others. */
const MOST_READ = 10;

/**
 * Returns a warning for each restore point of this computer's set that it did not make and that no tree proves: somebody may have
 * its device key. One that is proven, for example of a run whose answer was lost, is recorded as known. Also returns a warning for each
 * known one that has another time, and once for each that is missing.
 *
 * @throws HoldfastError what the service throws
 */
export async function unknownRuns(
  context: OperationContext,
  { set, clock, signal }: CheckedSet,
): Promise<readonly RunWarning[]> {
  const { access, catalog, settings } = context;
  const { deviceId } = settings;
  const known = catalog.history.restorePoints(deviceId, set);
  const first = known.at(-1);
  if (!first) return [];
  const listed = await access.service.restorePoints(deviceId, set, signal).catch((error: unknown) => {
    // The set may be gone there as a whole.
    if (isNotFound(error)) return [];
    throw error;
  });
  if (!listed) return [];
  const times = new Map(known.map(({ backup_id: id, restore_point: time }) => [id, Date.parse(time)]));
  const unknown = listed
    .filter(({ backup_id: id, restore_point: time }) => !times.has(id) && time > first.restore_point)
    .toSorted((a, b) => Date.parse(a.restore_point) - Date.parse(b.restore_point));
  const changes = await changesOfKnown(context, { set, listed, known, signal });
  for (const { backup_id: id } of changes.missing) catalog.history.forgetRestorePoint(deviceId, set, id);
  catalog.history.recordListed(deviceId, set);
  const warnings: RunWarning[] = [...changes.warnings];
  for (const point of unknown.slice(0, MOST_READ)) {
    const time = Date.parse(point.restore_point);
    const footer = await footerOf(point, context, { set, clock, signal });
    // One that was put there again was made before the runs that came before it.
    const before = Math.max(...[...times.values()].filter((other) => other < time));
    const isReplayed = footer && footer.sequence !== 0 && footer.created + CLOCK_SLACK_MS < before;
    if (footer && !isReplayed && footer.created <= time + CLOCK_SLACK_MS) {
      catalog.history.recordRestorePoint(deviceId, set, point, footer.treeHash);
      // A power cut took what the run had stored here: the next tree continues this one.
      catalog.history.recordSeenTree(deviceId, set, footer);
      times.set(point.backup_id, time);
    } else warnings.push({ path: `${set} ${point.restore_point}`, reason: 'unknown-run' });
  }
  return warnings;
}

/** Returns `undefined` if no tree of the set belongs to a restore point. */
async function footerOf(
  { restore_point: restorePoint }: RestorePoint,
  { access, catalog, keys, settings: { deviceId } }: OperationContext,
  { set: backupSet, clock, signal }: CheckedSet,
): Promise<VerifiedFooter | undefined> {
  const { service, downloader } = access;
  const source = { deviceId, backupSet, at: Date.parse(restorePoint) };
  try {
    return (await readTreeFooter(source, { service, downloader, catalog, keys, clock }, signal))?.footer;
  } catch (error) {
    if (isDataFailure(error)) return undefined;
    throw error;
  }
}

/** Like `unknownRuns`; a destination that cannot be asked has none. */
export async function unknownRunsIfAny(...parameters: Parameters<typeof unknownRuns>): Promise<readonly RunWarning[]> {
  try {
    return await unknownRuns(...parameters);
  } catch (error) {
    if (isHoldfastError(error)) return [];
    throw error;
  }
}
