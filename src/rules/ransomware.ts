import type { BackupStats } from '../protocol/backup.ts';
import type { RANSOMWARE_REASONS } from '../protocol/webhooks.ts';
import { DAY } from '../model/units.ts';

export type RansomwareReason = (typeof RANSOMWARE_REASONS)[number];

/** The changes of a run to its set, as far as the service can see them: names and contents are sealed, counts and sizes are not. */
export interface RunChanges {
  /** Files of the previous restore point; 0 for the first run. */
  readonly filesBefore: number;
  /** Most files of a restore point of the last 30 days; `filesBefore` by default. */
  readonly mostFiles?: number;
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
  /** Changed files whose content is no longer of the format that their extension stands for. */
  readonly damagedFiles: number;
  /** New files whose bytes look random, and whose extension is behind the one of another file. */
  readonly replacedFiles: number;
  /** Files whose content is of the format that their extension stands for. */
  readonly intactFiles: number;
}

const NOTHING: ReportedActivity = {
  suspiciousNames: 0,
  incompressibleFiles: 0,
  damagedFiles: 0,
  replacedFiles: 0,
  intactFiles: 0,
};

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
/** Share of the most files of the last 30 days that are gone. Caches and installed packages may be half of a set. */
const LOST_SHARE_OVER_DAYS = 0.75;
const DAYS = 30 * DAY;
/** Encrypted files below 512 bytes are not counted as random. */
const INCOMPRESSIBLE_SHARE = 0.6;
/** Encrypted data does not deduplicate; moving, copying and touching files adds no data. */
const NEW_DATA_PERCENT = 80;
const FEWEST_SUSPICIOUS_NAMES = 10;
/** No program damages so many files of a person in a day; the slowest ransomware that matters does. */
const FEWEST_DAMAGED = 5;
/** Share of the new and changed files. Ransomware leaves few as they should be, a program that rewrites all files leaves all. */
const INTACT_SHARE = 0.8;

/**
 * Decides whether a run looks like ransomware. A file that is encrypted in place is changed; one that is replaced by an
 * encrypted one with another name is one removed and one added file. `filesRewritten` counts both.
 * A stolen device key encrypts nothing, but could erase the history by runs without files: most of the files gone is suspicious, too.
 */
export function judgeRun(changes: RunChanges, reported: ReportedActivity = NOTHING): Judgement {
  const filesRewritten = Math.min(changes.versions, changes.ended);
  const newDataPercent =
    changes.bytes === 0 ? 0 : Math.min(100, Math.round((1000 * changes.newBytes) / changes.bytes) / 10);
  const share = changes.filesBefore === 0 ? 0 : filesRewritten / changes.filesBefore;
  const overwritten = filesRewritten >= FEWEST_REWRITTEN && newDataPercent >= NEW_DATA_PERCENT;
  const { suspiciousNames, incompressibleFiles, damagedFiles, replacedFiles, intactFiles } = reported;

  const reasons: RansomwareReason[] = [];
  const isIntact = changes.versions > 0 && intactFiles >= INTACT_SHARE * changes.versions;
  if (overwritten && share >= REWRITTEN_SHARE && !isIntact) reasons.push('mass_rewrite');
  const encrypted = incompressibleFiles >= INCOMPRESSIBLE_SHARE * filesRewritten;
  if (overwritten && share >= REWRITTEN_SHARE_ENCRYPTED && encrypted) reasons.push('mass_encryption');
  if (isMostLost(changes)) reasons.push('mass_deletion');
  // Files that replace nothing may have been encrypted long ago.
  if (damagedFiles + Math.min(replacedFiles, filesRewritten) >= FEWEST_DAMAGED) reasons.push('mass_damage');
  if (suspiciousNames >= FEWEST_SUSPICIOUS_NAMES) reasons.push('known_names');
  return { reasons, filesRewritten, newDataPercent };
}

/** Returns whether most files are gone: since the previous run, or, for the first time, over several runs. */
function isMostLost({ filesBefore, mostFiles = filesBefore, versions, ended }: RunChanges): boolean {
  const lost = ended - versions;
  if (lost >= FEWEST_REWRITTEN && lost >= LOST_SHARE * filesBefore) return true;
  const fewest = (1 - LOST_SHARE_OVER_DAYS) * mostFiles;
  return mostFiles - (filesBefore - lost) >= FEWEST_REWRITTEN && filesBefore > fewest && filesBefore - lost <= fewest;
}

/**
 * Returns `mostFiles`.
 *
 * @param points restore points with their times, in milliseconds since the epoch
 */
export function mostFilesOf(points: readonly { readonly files: number; readonly time: number }[], now: number): number {
  return Math.max(0, ...points.filter(({ time }) => time > now - DAYS).map(({ files }) => files));
}

/** Returns what the agent reports with `backup.complete.signals`. What it leaves out counts as 0. */
export function reportedActivity(stats: BackupStats): ReportedActivity {
  return {
    suspiciousNames: stats.suspicious_names ?? 0,
    incompressibleFiles: stats.incompressible_files ?? 0,
    damagedFiles: stats.damaged_files ?? 0,
    replacedFiles: stats.replaced_files ?? 0,
    intactFiles: stats.intact_files ?? 0,
  };
}
