import type { RANSOMWARE_REASONS } from '../protocol/webhooks.ts';

export type RansomwareReason = (typeof RANSOMWARE_REASONS)[number];

/** The changes of a run to its set, as far as the service can see them: names and contents are sealed, counts and sizes are not. */
export interface RunChanges {
  /** Files of the previous restore point; 0 for the first run. */
  readonly filesBefore: number;
  /** New and changed files. */
  readonly versions: number;
  /** Files of the previous restore point that were deleted or changed. */
  readonly ended: number;
  /** Plaintext bytes of `versions`. */
  readonly bytes: number;
  /** Plaintext bytes of the chunks that the run uploaded. */
  readonly newBytes: number;
}

/** Facts about the files read in this run that only the agent can see. */
export interface ReportedActivity {
  /** Files with names typical of known ransomware. */
  readonly suspiciousNames: number;
  /** Files whose bytes look random. */
  readonly incompressibleFiles: number;
}

export interface Judgement {
  /** Empty if nothing is suspicious. */
  readonly reasons: readonly RansomwareReason[];
  readonly filesRewritten: number;
  /** 0 to 100, with one decimal. */
  readonly newDataPercent: number;
}

/** Below this number of rewritten or lost files the share is meaningless: small sets are often rewritten entirely. */
const FEWEST_REWRITTEN = 50;
/** Share of the previous files without the agent's signals. */
const REWRITTEN_SHARE = 0.5;
/** Share of the previous files if the agent reports random bytes. */
const REWRITTEN_SHARE_ENCRYPTED = 0.1;
/** Share of the previous files that are gone and were not replaced. */
const LOST_SHARE = 0.5;
const INCOMPRESSIBLE_SHARE = 0.8;
/** Encrypted data does not deduplicate; moving, copying and touching files adds no data. */
const NEW_DATA_PERCENT = 80;
const FEWEST_SUSPICIOUS_NAMES = 10;

/**
 * Decides whether a run looks like ransomware. A file that is encrypted in place is changed; one that is replaced by an
 * encrypted one with another name is one removed and one added file. `filesRewritten` counts both.
 * A stolen device key encrypts nothing, but could erase the history by runs without files: most of the files gone is suspicious, too.
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
  const lost = changes.ended - changes.versions;
  if (lost >= FEWEST_REWRITTEN && lost >= LOST_SHARE * changes.filesBefore) reasons.push('mass_deletion');
  if (suspiciousNames >= FEWEST_SUSPICIOUS_NAMES) reasons.push('known_names');
  return { reasons, filesRewritten, newDataPercent };
}
