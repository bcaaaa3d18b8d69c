import type { DamagedPoints } from '../../remote/ports.ts';
import type { Point, SetName } from '../projection/points.ts';
import type { Repository } from '../repository.ts';
import { PointCheck } from './check-points.ts';
import { Findings } from './report.ts';

/** Returns the restore points of a set that lack something, as far as the known damage of packs shows it. */
export async function damagedPointsOf(
  repository: Repository,
  set: SetName,
  signal?: AbortSignal,
): Promise<DamagedPoints> {
  const { points, packs } = repository.projection;
  const unreadable = new Set<number>();
  const incomplete = new Set<number>();
  if (!packs.hasUncountable()) return { unreadable, incomplete };
  const findings = new Findings();
  const check = new PointCheck(repository, findings);
  for (const point of points.ofSet(set)) {
    const before = findings.lossesTotal;
    await check.run(point, signal);
    if (findings.lossesTotal === before) continue;
    const isReadable = (await check.read(point.tree, 'tree', signal)) !== undefined;
    (isReadable ? incomplete : unreadable).add(point.time);
  }
  return { unreadable, incomplete };
}

/** Returns the restore points of a set that have a time and whose trees cannot be read. */
export async function unreadablePointsAt(
  repository: Repository,
  set: SetName,
  time: number,
  signal?: AbortSignal,
): Promise<readonly Point[]> {
  const { points, packs } = repository.projection;
  if (!packs.hasUncountable()) return [];
  const check = new PointCheck(repository, new Findings());
  const unreadable: Point[] = [];
  for (const point of points.ofSet(set)) {
    if (point.time === time && !(await check.read(point.tree, 'tree', signal))) unreadable.push(point);
  }
  return unreadable;
}
