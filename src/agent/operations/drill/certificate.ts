import { Catalog } from '../../../catalog/catalog.ts';
import type { JobRecord } from '../../../jobs/job-record.ts';
import type { DrillReport } from '../../../restore/types.ts';
import type { Certificate, CertifiedDrill } from '../../../ipc/contract/restore/certificate.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { VERSION } from '../../../base/version.ts';
import { requireSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';

/** Failed files that are named. */
const MAX_NAMED = 100;

export interface CertificateRequest {
  /** All by default. */
  readonly sets?: readonly string[] | undefined;
}

/** Returns the facts about the newest test restore of each set. */
export function drillCertificate({ home, clock }: AgentParts, { sets }: CertificateRequest = {}): Certificate {
  const settings = requireSettings(home);
  using catalog = new Catalog(home.catalogFile);
  const names = sets ?? settings.sets.map(({ name }) => name);
  const drills = names.flatMap((set) => newestDrill(catalog, set, settings.all) ?? []);
  return {
    device: { id: settings.deviceId, name: settings.deviceName },
    version: VERSION,
    issuedAt: clock.now(),
    drills,
  };
}

function newestDrill(catalog: Catalog, set: string, entries: readonly DestinationEntry[]): CertifiedDrill | undefined {
  const end = catalog.journal.newestEnd(set, 'drill', ['succeeded', 'succeeded-with-warnings', 'failed']);
  const job = end && catalog.journal.get(end.id);
  const report = job && drillReportIn(job);
  if (!report) return undefined;
  const destination = entries.find(({ id }) => id === job.destination)?.name ?? job.destination;
  const { failures, failuresTotal, bytesWritten, sample, ...facts } = report;
  return {
    set,
    destination,
    at: end.endedAt,
    restorePoint: facts.restorePoint,
    pointFiles: facts.pointFiles,
    pointBytes: facts.pointBytes,
    newestFiles: facts.newestFiles,
    randomFiles: facts.randomFiles,
    filesRestored: facts.filesRestored,
    bytesRestored: bytesWritten,
    filesCompared: facts.filesCompared,
    filesSameOnDisk: facts.filesSameOnDisk,
    failures: failures.slice(0, MAX_NAMED).map(({ path }) => path),
    failuresTotal,
    digest: facts.digest,
    sample: [...sample],
  };
}

/** Returns `undefined` for a test restore that ended before it compared anything. */
export function drillReportIn({ report }: Pick<JobRecord, 'report'>): DrillReport | undefined {
  const known = (report === null ? {} : JSON.parse(report)) as Partial<DrillReport>;
  return known.filesCompared === undefined ? undefined : (known as DrillReport);
}
