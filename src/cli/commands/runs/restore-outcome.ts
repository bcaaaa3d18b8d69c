import type { NameProblem } from '../../../restore/conflicts/name-problems.ts';
import type { RestoreReport } from '../../../restore/types.ts';
import { alignColumns } from '../../columns.ts';
import type { ExitCode } from '../../exit-code.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import { countText, figureText, printable, sizeText } from '../../text.ts';
import { readingJson, readingLines, type Reading } from './reading-text.ts';
import { ATTRIBUTE_REASONS, failureJson, failureText, warningText } from './warnings.ts';

/** The parts of the request that the result repeats. */
interface Asked {
  readonly name: string;
  /** `null` for the original places. */
  readonly to: string | null;
  readonly dryRun: boolean;
}

export function restoreOutcome(asked: Asked, report: RestoreReport & Reading): Outcome {
  const failures = report.failures.map(failureText);
  const unnamed = report.failuresTotal - report.failures.length;
  if (unnamed > 0) failures.push(`and ${countText(unnamed, 'more failure')}`);
  const exitCode: ExitCode = report.failuresTotal > 0 ? 1 : report.warnings.length > 0 ? 3 : 0;
  return outcome(restoreJson(report, asked), restoreLines(asked, report), {
    exitCode,
    warnings: [...failures.map((text) => `not restored: ${text}`), ...warningTexts(report)],
  });
}

/** Attributes that could not be set are named up to a number: a disk that has none would fill the terminal. */
function warningTexts({ warnings, attributesNotRestored }: RestoreReport): readonly string[] {
  const lost = warnings.filter(({ reason }) => ATTRIBUTE_REASONS.has(reason));
  const others = warnings.filter(({ reason }) => !ATTRIBUTE_REASONS.has(reason));
  const more = attributesNotRestored - Math.min(lost.length, SHOWN);
  return [
    ...[...others, ...lost.slice(0, SHOWN)].map(warningText),
    ...(more > 0 ? [`and ${countText(more, 'more attribute')} could not be set; --json names the files`] : []),
  ];
}

function restoreJson(report: RestoreReport & Reading, asked: Asked): object {
  return {
    restore_point: report.restorePoint,
    files_restored: report.filesRestored,
    files_skipped: report.filesSkipped,
    ...(asked.to === null ? inPlaceJson(report) : {}),
    files_resumed: report.filesResumed,
    bytes_written: report.bytesWritten,
    bytes_downloaded: report.bytesDownloaded,
    failures: report.failures.map(failureJson),
    failures_total: report.failuresTotal,
    ...(report.stoppedBy === undefined ? {} : { stopped_by: report.stoppedBy }),
    warnings: report.warnings,
    attributes_not_restored: report.attributesNotRestored,
    notes: report.notes,
    ...(asked.dryRun ? { dry_run: true } : {}),
    conflicts: report.conflicts,
    ...plannedJson(report),
    ...readingJson(report),
  };
}

function plannedJson({ planned, names }: RestoreReport): object {
  return {
    ...(planned === undefined
      ? {}
      : {
          files_new: planned.filesNew,
          bytes_needed: planned.bytesNeeded,
          conflicts_undecided: planned.undecided,
          conflict_details: planned.met,
        }),
    ...(names.total === 0 ? {} : { name_problems: names.named, name_problems_total: names.total }),
  };
}

function inPlaceJson(report: RestoreReport): object {
  const { filesUnchanged, conflictsNewer, attributesLeft, attributesLeftTotal, bytesToFetch, surplus, keptIn } = report;
  return {
    ...(surplus === undefined
      ? {}
      : {
          files_moved_aside: surplus.files,
          bytes_moved_aside: surplus.bytes,
          moved_aside: surplus.paths,
          moved_aside_total: surplus.entries,
        }),
    files_unchanged: filesUnchanged,
    conflicts_newer: conflictsNewer,
    attributes_left: attributesLeft,
    attributes_left_total: attributesLeftTotal,
    ...(bytesToFetch === undefined ? {} : { bytes_to_fetch: bytesToFetch }),
    kept_in: keptIn,
  };
}

const NOTES = {
  'with-database-logs': 'Databases come with the logs (-wal, -journal) that are a part of them.',
  'ownership-not-restored': 'Owners and groups were not restored: only root may do that.',
  'links-copied': 'The disk there allows no further hard links: some names of a file have a copy of their own.',
} as const;

/** Paths of each list for people. */
const SHOWN = 20;

function restoreLines({ name, to, dryRun }: Asked, report: RestoreReport & Reading): string[] {
  const { conflicts } = report;
  const place = to === null ? 'its original place' : printable(to);
  const title = dryRun
    ? `This is what a restore of ${name} to ${place} would do; nothing was written.`
    : report.failuresTotal > 0
      ? `Restored what could be restored of ${name}; some files are missing.`
      : `Restored ${name} to ${place}.`;
  const rows = [
    ['Restore point', report.restorePoint],
    ['Files', countText(report.filesRestored, 'file')],
    ...(report.planned === undefined ? [] : [['Of these, new', countText(report.planned.filesNew, 'file')]]),
    ...(report.filesSkipped > 0
      ? [[to === null ? 'Changed, left as is' : 'Left unchanged', countText(report.filesSkipped, 'file')]]
      : []),
    ...(report.filesUnchanged > 0 ? [['Already identical', countText(report.filesUnchanged, 'file')]] : []),
    ...(report.attributesNotRestored > 0 ? [['Attributes not set', figureText(report.attributesNotRestored)]] : []),
    ...(report.filesResumed > 0 ? [['Restored earlier', countText(report.filesResumed, 'file')]] : []),
    [dryRun ? 'To write' : 'Written', sizeText(report.bytesWritten)],
    ...(report.surplus === undefined || report.surplus.entries === 0
      ? []
      : [
          [
            dryRun ? 'To move aside' : 'Moved aside',
            `${countText(report.surplus.files, 'file')} that did not exist then, ${sizeText(report.surplus.bytes)}`,
          ],
        ]),
    ...(report.bytesToFetch === undefined ? [] : [['To download', sizeText(report.bytesToFetch)]]),
    ...(dryRun && report.conflictsNewer > 0
      ? [['Newer on this computer', countText(report.conflictsNewer, 'file')]]
      : []),
    ...(dryRun ? [] : [['Downloaded', sizeText(report.bytesDownloaded)]]),
  ];
  const aside = dryRun ? (report.surplus?.paths ?? []).slice(0, SHOWN) : [];
  const moreAside = (report.surplus?.entries ?? 0) - aside.length;
  const shown = dryRun ? conflicts.slice(0, SHOWN).map((path) => `  ${printable(path)}`) : [];
  const more = conflicts.length - shown.length;
  return [
    title,
    ...alignColumns(rows).map((row) => `  ${row}`),
    ...report.keptIn.map((folder) =>
      report.surplus === undefined
        ? `What was replaced is in ${printable(folder)}.`
        : `What was replaced, or did not exist then, is in ${printable(folder)}.`,
    ),
    ...report.notes.map((note) => NOTES[note]),
    ...nameLines(report, dryRun),
    ...readingLines(report),
    ...leftLines(report),
    ...(shown.length > 0 ? ['', alreadyThere(report), ...shown] : []),
    ...(shown.length > 0 && more > 0 ? [`  … and ${figureText(more)} more`] : []),
    ...(aside.length > 0 ? ['', 'Did not exist then:', ...aside.map((path) => `  ${printable(path)}`)] : []),
    ...(aside.length > 0 && moreAside > 0 ? [`  … and ${figureText(moreAside)} more`] : []),
  ];
}

/** What has the content of the restore point already, and other attributes. */
function leftLines({ attributesLeft, attributesLeftTotal: total }: RestoreReport): string[] {
  if (total === 0) return [];
  const shown = attributesLeft.slice(0, SHOWN);
  const more = total - shown.length;
  return [
    '',
    'The content is that of the restore point, but permissions, owner or time differ and stay as they are (--conflict overwrite sets them):',
    ...shown.map((path) => `  ${printable(path)}`),
    ...(more > 0 ? [`  … and ${figureText(more)} more`] : []),
  ];
}

/** Also how many of them no choice is about. */
function alreadyThere({ planned }: RestoreReport): string {
  const undecided = planned?.undecided ?? 0;
  if (undecided === 0) return 'Already there:';
  return `Already there, ${figureText(undecided)} of them without a choice (--conflict):`;
}

function nameLines({ names: { named, total } }: RestoreReport, dryRun: boolean): string[] {
  if (total === 0 || !dryRun) return [];
  const shown = named.slice(0, SHOWN);
  const more = total - shown.length;
  return [
    '',
    'Names that cannot be used there:',
    ...shown.map((problem) => `  ${printable(problem.path)}: ${nameProblemText(problem)}`),
    ...(more > 0 ? [`  … and ${figureText(more)} more`] : []),
  ];
}

function nameProblemText({ kind, becomes, as = '' }: NameProblem): string {
  const why = {
    invalid: 'not a valid name',
    'too-long': 'the name is too long',
    'same-name': 'another entry has this name',
  };
  const what = {
    'not-restored': 'not restored',
    beside: `restored as ${printable(as)}`,
    merged: 'restored into the same folder',
  };
  return `${why[kind]}; ${what[becomes]}`;
}
