import { failureOf } from '../../../base/errors/failure.ts';
import { timeOfPoint } from '../../../base/point-time.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { InputOf, OutputOf } from '../../../base/calls/contract.ts';
import type { restoreMethods } from '../../../ipc/contract/restore/restore.ts';
import type { Agent } from '../../agent.ts';
import { isAway } from '../../destination/is-away.ts';
import { requireSettings } from '../../home/settings.ts';
import type { RestoreSource } from '../../operations/restore/restore-sources.ts';
import type { RestoreBrowserPort } from '../browse/restore-browser-port.ts';
import type { HandlerContext } from '../handler-context.ts';

type PointsInput = InputOf<typeof restoreMethods, 'restore.points'>;
type PointsOutput = OutputOf<typeof restoreMethods, 'restore.points'>;

/** Lists the restore points of a set: those at its destination, or while that is away, those that this computer knows. */
export async function restorePointsOf(
  host: Pick<HandlerContext, 'agent' | 'home'>,
  browser: RestoreBrowserPort,
  reference: PointsInput,
): Promise<PointsOutput> {
  try {
    return await pointsThere(host, reference);
  } catch (error) {
    const failure = isAway(error) ? failureOf(error) : undefined;
    const known = failure && (await browser.knownPoints(reference));
    if (!known) throw error;
    const { destination, points } = known;
    const hasOthers = requireSettings(host.home).others.length > 0;
    return { points, ...(hasOthers ? { destination } : {}), away: { destination, failure } };
  }
}

/** Lists the sets with restore points at a destination, or while that is away, those that this computer knows. */
export async function sourcesAt(
  agent: Agent,
  browser: RestoreBrowserPort,
  destination: string,
): Promise<readonly RestoreSource[]> {
  try {
    return await agent.at(destination).restoreSources({});
  } catch (error) {
    const known = isAway(error) ? await browser.knownSources(destination) : [];
    if (known.length === 0) throw error;
    return known;
  }
}

async function pointsThere(
  { agent, home }: Pick<HandlerContext, 'agent' | 'home'>,
  { set, device, destination }: PointsInput,
): Promise<PointsOutput> {
  const { others, id, name } = requireSettings(home, destination);
  const reference = device === undefined ? { set } : { set, device };
  const { entry, points, warnings } =
    destination === undefined && others.length > 0
      ? await agent.nearestPoints(reference)
      : { entry: { id, name }, ...(await agent.at(destination).pinnedPoints(reference)) };
  return {
    ...(others.length > 0 ? { destination: { id: entry.id, name: entry.name } } : {}),
    points: points.map(({ point, isPinned }) => ({
      restorePoint: point.restore_point,
      madeAt: timeOfPoint(point),
      backupId: point.backup_id,
      files: point.files,
      bytes: point.bytes,
      isPinned,
    })),
    missing: countOf(warnings, 'missing-run'),
    moved: countOf(warnings, 'moved-run'),
  };
}

/** Returns `undefined` for none. */
function countOf(warnings: readonly RunWarning[], wanted: string): number | undefined {
  return warnings.filter(({ reason }) => reason === wanted).length || undefined;
}
