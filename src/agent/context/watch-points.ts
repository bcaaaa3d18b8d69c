import { isHoldfastError } from '../../base/errors/errors.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { ListedPoint } from '../../remote/ports.ts';
import { isAway } from '../destination/is-away.ts';
import type { AgentParts } from './agent-parts.ts';
import { changesOfKnown } from './known-points.ts';
import type { OperationContext } from './operation-context.ts';
import type { SetSource } from './set-source.ts';
import { readDestinationOf } from './watch-doubt.ts';

/**
 * Has every list of restore points that a service answers with compared with what this computer knows, whoever asks for it. What differs is told to whoever
 * runs the operation. The ledgers of a repository prove its lists.
 */
export function watchPoints({ onListed }: AgentParts, context: OperationContext): void {
  const { access, settings, watched } = context;
  if (access.repository) return;
  const { service } = access;
  service.onListed = async ({ deviceId, backupSet, points }, signal) => {
    const source = { deviceId, backupSet };
    const changes = await changesIfAny(context, source, points, signal);
    const warnings = [...changes, ...(service.answerWarnings?.() ?? [])];
    watched.record(source, warnings);
    onListed?.(readDestinationOf(settings.all, settings.id), source, warnings);
  };
}

/** What is listed can be used even where it cannot be compared. */
async function changesIfAny(
  context: OperationContext,
  { deviceId, backupSet: set }: SetSource,
  listed: readonly ListedPoint[],
  signal: AbortSignal | undefined,
): Promise<readonly RunWarning[]> {
  const { settings, catalog } = context;
  if (deviceId !== settings.deviceId) return [];
  const known = catalog.history.restorePoints(deviceId, set);
  try {
    return (await changesOfKnown(context, { set, listed, known, signal })).warnings;
  } catch (error) {
    if (isHoldfastError(error) && !signal?.aborted) return [];
    throw error;
  }
}

/**
 * Asks a service for the restore points of a set that is read without their list, so that the set's newest state is not passed off as such while a newer one
 * is known. What a repository lacks is known once it is open.
 *
 * @throws HoldfastError if the service cannot be reached
 */
export async function listForWatch(
  { access, settings, catalog }: OperationContext,
  { deviceId, backupSet }: SetSource,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (access.repository || deviceId !== settings.deviceId) return;
  if (!catalog.history.newestPoint(deviceId, backupSet)) return;
  try {
    await access.service.restorePoints(deviceId, backupSet, signal);
  } catch (error) {
    if (!isHoldfastError(error) || isAway(error) || signal?.aborted) throw error;
  }
}
