import { Command, Option } from 'commander';
import type { ConflictChoice } from '../../../engine/job/job-request.ts';
import type { RestoreReport } from '../../../engine/restore/types.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import type { ExitCode } from '../../exit-code.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { countText, figureText, printable, sizeText } from '../../text.ts';
import {
  atOption,
  collected,
  destinationOption,
  deviceOption,
  LIMIT_HELP,
  limitOption,
  NEAREST,
} from '../arguments.ts';
import { locatedSet } from '../located-set.ts';
import { readingJson, readingLines, type Reading } from './reading-text.ts';
import { failureJson, failureText, warningText } from './warnings.ts';

interface Options extends GlobalOptions, TransferLimits {
  readonly at: string;
  readonly path: readonly string[];
  readonly to?: string;
  readonly inPlace?: boolean;
  readonly exact?: boolean;
  readonly conflict?: ConflictChoice;
  readonly acceptUnverified?: boolean;
  readonly dryRun?: boolean;
  readonly device?: string;
  readonly destination?: string;
}

const HELP_END = `${LIMIT_HELP}

Example:
  holdfast restore documents --at "2 hours ago" --path ~/Documents/letters --to /tmp/back
  holdfast restore documents --path ~/Documents/thesis.odt --in-place --conflict overwrite
  holdfast restore documents --path ~/Documents/letters --in-place --exact --at yesterday`;

export function restoreCommand(run: Run): Command {
  return new Command('restore')
    .summary('restore files')
    .description(
      'Restores a set, or some paths of it, as it was at a given time. Each folder of the set goes to DIR/<its own name>, ' +
        'and with --path each path does. To continue an interrupted restore, run it again.',
    )
    .argument('<name>', 'the backup set')
    .addOption(atOption())
    .option('--path <path>', 'only this file or folder; may be given several times', collected, [])
    .option('--to <dir>', 'where to')
    .option('--in-place', 'put everything back where it was; what is replaced is kept in a folder beside it')
    .option(
      '--exact',
      'with --in-place, as it was and nothing else: what has changed is replaced, and what did not exist then moves to a folder ' +
        'beside; excluded files are left alone',
    )
    .addOption(
      new Option(
        '--conflict <choice>',
        'what to do with files that already exist; without it the restore stops before it writes',
      ).choices(['skip', 'overwrite', 'keep-both']),
    )
    .option(
      '--accept-unverified',
      'restore also what nothing proves: a backup whose own list of files is missing or unreadable; existing files stay',
    )
    .option('--dry-run', 'show what would happen; nothing is written')
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .addHelpText('after', HELP_END)
    .action((name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const to = await targetOf(options);
        const { pointInTime } = await import('../../../agent/input/point-in-time.ts');
        const at = await pointInTime(options.at, Date.now());
        const { agent, reference, destination } = await locatedSet(name, options, context);
        const progress = await context.progress();
        const report = await agent.restore(
          {
            ...options,
            ...reference,
            ...(destination === undefined ? {} : { destination }),
            at,
            paths: options.path,
            to,
          },
          { signal: context.signal, onProgress: (state) => progress.show(state), untilReported: context.untilReported },
        );
        progress.end();
        return restoreOutcome({ name, to, dryRun: options.dryRun === true }, report);
      });
    });
}

/** Returns `null` for the original places. */
async function targetOf({ to, inPlace, exact, conflict }: Options): Promise<string | null> {
  if (exact === true && (inPlace !== true || (conflict ?? 'overwrite') !== 'overwrite')) {
    const { wrongUsage } = await import('../../../base/errors.ts');
    const message = 'Use --exact together with --in-place, without --conflict: what has changed is replaced and kept.';
    throw wrongUsage({ problem: 'options', message });
  }
  if (inPlace === true && to === undefined) return null;
  if (inPlace !== true && to !== undefined && to !== '') return to;
  const { wrongUsage } = await import('../../../base/errors.ts');
  const message =
    inPlace === true
      ? 'Specify either --to DIR or --in-place, not both.'
      : 'Specify where to restore to: --to DIR, or --in-place to put everything back where it was.';
  throw wrongUsage({ problem: 'options', message });
}

/** The parts of the request that the result repeats. */
interface Asked {
  readonly name: string;
  /** `null` for the original places. */
  readonly to: string | null;
  readonly dryRun: boolean;
}

function restoreOutcome(asked: Asked, report: RestoreReport & Reading): Outcome {
  const failures = report.failures.map(failureText);
  const unnamed = report.failuresTotal - report.failures.length;
  if (unnamed > 0) failures.push(`and ${countText(unnamed, 'more failure')}`);
  const exitCode: ExitCode = report.failuresTotal > 0 ? 1 : report.warnings.length > 0 ? 3 : 0;
  return outcome(restoreJson(report, asked), restoreLines(asked, report), {
    exitCode,
    warnings: [...failures.map((text) => `not restored: ${text}`), ...report.warnings.map(warningText)],
  });
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
    notes: report.notes,
    ...(asked.dryRun ? { dry_run: true } : {}),
    conflicts: report.conflicts,
    ...readingJson(report),
  };
}

function inPlaceJson({ filesUnchanged, conflictsNewer, bytesToFetch, surplus, keptIn }: RestoreReport): object {
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
    ...(bytesToFetch === undefined ? {} : { bytes_to_fetch: bytesToFetch }),
    kept_in: keptIn,
  };
}

const NOTES = {
  'ownership-not-restored': 'Owners and groups were not restored: only root may do that.',
} as const;

const SHOWN_CONFLICTS = 20;

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
    ...(report.filesSkipped > 0
      ? [[to === null ? 'Changed, left as is' : 'Left unchanged', countText(report.filesSkipped, 'file')]]
      : []),
    ...(report.filesUnchanged > 0 ? [['Already identical', countText(report.filesUnchanged, 'file')]] : []),
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
  const aside = dryRun ? (report.surplus?.paths ?? []).slice(0, SHOWN_CONFLICTS) : [];
  const moreAside = (report.surplus?.entries ?? 0) - aside.length;
  const shown = dryRun ? conflicts.slice(0, SHOWN_CONFLICTS).map((path) => `  ${printable(path)}`) : [];
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
    ...readingLines(report),
    ...(shown.length > 0 ? ['', 'Already there:', ...shown] : []),
    ...(shown.length > 0 && more > 0 ? [`  … and ${figureText(more)} more`] : []),
    ...(aside.length > 0 ? ['', 'Did not exist then:', ...aside.map((path) => `  ${printable(path)}`)] : []),
    ...(aside.length > 0 && moreAside > 0 ? [`  … and ${figureText(moreAside)} more`] : []),
  ];
}
