import type { DestinationCatalog } from '../../catalog/catalog.ts';
import type { VerifyExtent } from '../../jobs/job-request.ts';
import { SUCCEEDED_STATES } from '../../jobs/job-state.ts';
import type { JobRecord } from '../../jobs/job-record.ts';
import { reportIn } from './finished-runs.ts';

/** What a verification read. */
interface Extent extends VerifyExtent {
  readonly point: number;
}

/** Enough for a verification of every restore point, of which each is a job on the command line. */
const MOST_JOBS = 1000;

/**
 * Returns the newest verification of a set that found damage, unless a later one that read at least as much has found none: a sample, or another restore
 * point, says nothing about the rest.
 *
 * @param repair the newest repair: it ends what was found before, since it states what is lost
 */
export function verifiedDamage(
  { journal, destination }: DestinationCatalog,
  backupSet: string,
  repair = 0,
): number | undefined {
  // Most sets have none, and need no look at what their verifications have read.
  if (!journal.newestEnd(backupSet, 'verify', ['failed'], destination)) return undefined;
  const states = [...SUCCEEDED_STATES, 'failed'] as const;
  const sound: Extent[] = [];
  for (const job of journal.list({ backupSet, kind: 'verify', states, destination }, MOST_JOBS)) {
    if (job.id < repair) continue;
    const extent = extentOf(job);
    if (job.state !== 'failed') sound.push(extent);
    else if (foundDamage(job) && !sound.some((later) => includes(later, extent))) return job.id;
  }
  return undefined;
}

/** Returns whether a job found damage. One that could not reach the service has failed without finding any. */
export function foundDamage(job: Pick<JobRecord, 'report'>): boolean {
  return (reportIn(job)?.failuresTotal ?? 0) > 0;
}

function extentOf({ request, report }: JobRecord): Extent {
  const { samplePercent = 100, beside } = (request === null ? {} : JSON.parse(request)) as Partial<VerifyExtent>;
  return { samplePercent, beside, point: Date.parse(reportIn({ report })?.restorePoint ?? '') };
}

function includes(one: Extent, other: Extent): boolean {
  if (one.samplePercent < other.samplePercent) return false;
  if (one.beside === 'all' || (one.beside === 'another' && other.beside === 'another')) return true;
  return other.beside === undefined && one.point === other.point;
}
