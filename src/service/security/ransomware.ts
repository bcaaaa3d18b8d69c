import type { RansomwareReason, RunChanges } from '../store/alarms/alarms.ts';

/** What only the agent can see of the files that it read in this run. */
export interface ReportedActivity {
  /** Files whose names are those that known ransomware gives. */
  readonly suspiciousNames: number;
  /** Files that had a structure before, and whose bytes look random now. */
  readonly incompressibleFiles: number;
}

export interface Judgement {
  /** None: nothing is suspicious. */
  readonly reasons: readonly RansomwareReason[];
  readonly filesRewritten: number;
  /** 0 to 100, one decimal. */
  readonly newDataPercent: number;
}

/** Below so many rewritten files a share means nothing: a small set is often rewritten whole. */
const FEWEST_REWRITTEN = 50;
/** Of the files before, where nobody looked into them. */
const REWRITTEN_SHARE = 0.5;
/** … and where the agent says that their bytes look random. */
const REWRITTEN_SHARE_ENCRYPTED = 0.1;
const INCOMPRESSIBLE_SHARE = 0.8;
/** Encryption leaves nothing to deduplicate; moving, copying and touching files brings nothing new. */
const NEW_DATA_PERCENT = 80;
const FEWEST_SUSPICIOUS_NAMES = 10;

/**
 * Whether a run looks like ransomware at work. A file that is encrypted in place is changed; one that is replaced by an
 * encrypted one of another name is a file gone and a file added. Both make up `filesRewritten`.
 */
export function judgeRun(changes: RunChanges, reported?: ReportedActivity): Judgement {
  const filesRewritten = Math.min(changes.versions, changes.ended);
  const newDataPercent =
    changes.bytes === 0 ? 0 : Math.min(100, Math.round((1000 * changes.newBytes) / changes.bytes) / 10);
  const share = changes.filesBefore === 0 ? 0 : filesRewritten / changes.filesBefore;
  const overwritten = filesRewritten >= FEWEST_REWRITTEN && newDataPercent >= NEW_DATA_PERCENT;
  const { suspiciousNames = 0, incompressibleFiles = 0 } = reported ?? {};

  const reasons: RansomwareReason[] = [];
  if (overwritten && share >= REWRITTEN_SHARE) reasons.push('mass_rewrite');
  const encrypted = incompressibleFiles >= INCOMPRESSIBLE_SHARE * filesRewritten;
  if (overwritten && share >= REWRITTEN_SHARE_ENCRYPTED && encrypted) reasons.push('mass_encryption');
  if (suspiciousNames >= FEWEST_SUSPICIOUS_NAMES) reasons.push('known_names');
  return { reasons, filesRewritten, newDataPercent };
}
