import { Command, Option } from 'commander';
import type { Compression } from '../../../model/compression.ts';
import type { BackupResult, DestinationResult } from '../../../agent/operations/backup/backup-result.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import type { BackupReport } from '../../../archive/backup/types.ts';
import type { BackupProgress } from '../../../jobs/progress.ts';
import type { PriorityChoice } from '../../../os/power/priority-decision.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { sumOf } from '../../../base/left-out.ts';
import { alignColumns } from '../../columns.ts';
import { countText, durationText, printable, sizeText } from '../../text.ts';
import { failureText } from '../../failure-sentences.ts';
import { collected, compressionOption, LIMIT_HELP, limitOption, wholeNumber } from '../arguments.ts';
import { backUpAll } from './backup-all.ts';
import { warningText, warningTextAt } from './warnings.ts';
import { checkWatchWords, watchUntilInterrupted, type WatchWords } from './watch.ts';

interface Options extends GlobalOptions, TransferLimits, WatchWords {
  readonly dryRun?: boolean;
  readonly rehash?: boolean;
  readonly all?: boolean;
  readonly allowEmpty?: boolean;
  readonly accept: readonly string[];
  readonly priority: PriorityChoice;
  readonly compression?: Compression;
  readonly destination: readonly string[];
}

const HELP_END = `${LIMIT_HELP}

A destination that cannot be reached is waited for, a service 10 minutes and any other 2, unless HOLDFAST_MAX_WAIT says
another number of seconds.

With --priority auto a run gives way to other programs on battery power, and while somebody uses the computer unless it
was started at a terminal. Its progress says so.

With --watch every run looks everywhere, and first where something is known to have changed. There is one at the start,
one whenever changes have come to rest, after half an hour even if they do not, and one a day in any case. Ctrl-C ends it.

The files are read once for all destinations. One that cannot be used delays no other: it is named, and the exit code is 3.

Examples:
  holdfast backup documents
  holdfast backup --all
  holdfast backup documents --watch --quiet-seconds 30`;

export function backupCommand(run: Run): Command {
  return new Command('backup')
    .summary('back up a set')
    .description('Backs up a set to all destinations. The next run continues an interrupted one.')
    .argument('[name]', 'the backup set')
    .option('--all', 'back up every set, one after the other')
    .option('--dry-run', 'scan and count only; nothing is sent')
    .option('--rehash', 'read every file again, even if its times are unchanged')
    .option(
      '--accept <path>',
      'accept a folder as it is now: empty, or not the disk that was mounted there; may be given several times',
      collected,
      [],
    )
    .option('--allow-empty', 'accept every folder as it is now')
    .addOption(
      new Option('--priority <level>', 'how it shares the processor with other programs')
        .choices(['auto', 'normal', 'low'])
        .default('auto'),
    )
    .addOption(compressionOption())
    .option('--destination <name>', 'only to this destination, by its name; may be given several times', collected, [])
    .option('--watch', 'keep running, and back up again whenever something changes')
    .addOption(secondsOption('quiet', 'with --watch: how long nothing must have changed before a run', 60))
    .addOption(secondsOption('interval', 'with --watch: the least time between two runs', 300))
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .addHelpText('after', HELP_END)
    .action((named: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        checkNames(named, options);
        checkWatchWords(options, options.json === true, options.dryRun === true);
        const { destination, accept: accepted } = options;
        const agent = await context.agent();
        if (accepted.length > 0) {
          const { checkAccepted } = await import('../../../agent/input/accepted-paths.ts');
          checkAccepted(
            accepted,
            (await agent.sets()).filter(({ name }) => named === undefined || name === named),
          );
        }
        const to = { accepted, ...(destination.length === 0 ? {} : { destinations: destination }) };
        if (options.watch) {
          return watchUntilInterrupted(context, named!, { ...options, ...to }, (report) =>
            backupOutcome(named!, report, false),
          );
        }
        const progress = await context.progress();
        const attended = context.output.streams.error.isTTY === true;
        const backUp = async (name: string): Promise<BackupResult> => {
          const report = await agent.backup(
            { ...options, ...to, set: name, attended, endsWithRun: options.all !== true },
            {
              signal: context.signal,
              onProgress: (state: BackupProgress) => progress.show(state, options.all ? name : undefined),
            },
          );
          progress.end();
          return report;
        };
        const compressionOf = (name: string): Compression | undefined =>
          options.compression ?? agent.settings()?.sets.find((set) => set.name === name)?.compression;
        const shown = (name: string, report: BackupResult): Outcome =>
          backupOutcome(name, report, options.dryRun === true, compressionOf(name));
        if (named !== undefined) return shown(named, await backUp(named));
        const sets = (await agent.sets()).map(({ name }) => name);
        return backUpAll(sets, backUp, shown);
      });
    });
}

/** @throws HoldfastError `usage` unless either a set is named or all are meant */
function checkNames(name: string | undefined, { all = false, watch }: Options): void {
  const message =
    name === undefined && !all
      ? 'Name a backup set, or back up every set with --all.'
      : name !== undefined && all
        ? 'Name a backup set or use --all, not both.'
        : all && watch
          ? '--watch needs the name of one backup set.'
          : undefined;
  if (message !== undefined) throw wrongUsage({ problem: 'options', message });
}

/** Up to a day. */
function secondsOption(name: string, description: string, usual: number): Option {
  return new Option(`--${name}-seconds <seconds>`, `${description} (default: ${usual})`).argParser(
    wholeNumber('a number of seconds', 1, 86_400),
  );
}

const UNCOMPRESSED = 'takes chunks only as they are';

/** A compression that was chosen has no effect where a destination takes chunks only as they are. */
function isUncompressed({ compression }: BackupReport, chosen: Compression | undefined): boolean {
  return chosen !== undefined && chosen !== 'off' && compression === 'off';
}

function backupOutcome(name: string, result: BackupResult, dryRun: boolean, chosen?: Compression): Outcome {
  if (result.destinations) return outcomeOfSeveral(name, result, result.destinations, chosen);
  const warnings = result.warnings.map(warningText);
  return outcome(
    backupJson(result, dryRun),
    dryRun ? dryRunLines(name, result) : backupLines(name, result, isUncompressed(result, chosen)),
    {
      exitCode: warnings.length > 0 ? 3 : 0,
      warnings,
    },
  );
}

/** A destination that failed while another one did not is a warning. */
function outcomeOfSeveral(
  name: string,
  result: BackupResult,
  destinations: readonly DestinationResult[],
  chosen: Compression | undefined,
): Outcome {
  const texts = new Set(
    destinations.flatMap(({ name: at, report }) => (report?.warnings ?? []).map((one) => warningTextAt(one, at))),
  );
  const failed = destinations.flatMap((destination) => (destination.failure ? failedText(destination) : []));
  const value = { ...backupJson(result, false), destinations: destinations.map(destinationJson) };
  const plain = destinations.filter(({ report }) => report && isUncompressed(report, chosen));
  const lines = [
    ...linesOfSeveral(name, result, destinations),
    ...plain.map(({ name: there }) => `  ${printable(there)} ${UNCOMPRESSED}`),
  ];
  return outcome(value, lines, {
    exitCode: texts.size + failed.length > 0 ? 3 : 0,
    warnings: [...failed, ...texts],
  });
}

function failedText({ name, failure }: DestinationResult): string[] {
  if (!failure) return [];
  const { what, todo } = failureText(failure);
  return [`not backed up to ${printable(name)}: ${what} ${todo}`];
}

function destinationJson({ id, name, report, failure }: DestinationResult): object {
  if (report) return { id, name, ...backupJson(report, false) };
  const { code, details } = failure;
  const { what, todo } = failureText(failure);
  return { id, name, error: { code, message: `${what} ${todo}`, details } };
}

function linesOfSeveral(name: string, result: BackupResult, destinations: readonly DestinationResult[]): string[] {
  const isWhole = destinations.every(({ report }) => report?.warnings.length === 0);
  const scanned = `${countText(result.filesProcessed, 'file')}, ${sizeText(result.bytesScanned)}`;
  const figures = alignColumns([['Scanned', scanned], ...leftOutRow(result)]);
  const rows = destinations.map(({ name: there, report }) =>
    report
      ? [
          printable(there),
          report.restorePoint ?? '',
          sizeText(report.bytesUploaded),
          durationText(report.durationSeconds),
        ]
      : [printable(there), 'failed', '', ''],
  );
  return [
    isWhole ? `Backed up ${name}.` : `Backed up ${name}, with warnings.`,
    ...figures.map((row) => `  ${row}`),
    '',
    ...alignColumns([['DESTINATION', 'RESTORE POINT', 'UPLOADED', 'TOOK'], ...rows], [2, 3]).map((row) => `  ${row}`),
    ...noteLines(result),
  ];
}

function backupJson(report: BackupReport, dryRun: boolean): object {
  return {
    backup_id: report.backupId ?? null,
    restore_point: report.restorePoint ?? null,
    files_processed: report.filesProcessed,
    chunks_new: report.chunksNew,
    chunks_deduped: report.chunksDeduped,
    bytes_scanned: report.bytesScanned,
    bytes_new: report.bytesNew,
    bytes_uploaded: report.bytesUploaded,
    duration_seconds: report.durationSeconds,
    ...(report.compression === undefined ? {} : { compression: report.compression }),
    warnings: report.warnings,
    notes: report.notes,
    left_out: report.leftOut.map(({ rule, files, bytes, isAtLeast }) => ({
      rule,
      files,
      bytes,
      ...(isAtLeast && { at_least: true }),
    })),
    ...(dryRun ? { dry_run: true, bytes_changed: report.bytesChanged } : {}),
  };
}

/** @param isPlain whether another compression was chosen than the destination allows */
function backupLines(name: string, report: BackupReport, isPlain: boolean): string[] {
  const title = report.warnings.length === 0 ? `Backed up ${name}.` : `Backed up ${name}, with warnings.`;
  const rows = [
    ['Restore point', report.restorePoint ?? ''],
    ['Scanned', `${countText(report.filesProcessed, 'file')}, ${sizeText(report.bytesScanned)}`],
    ['New', `${countText(report.chunksNew, 'chunk')}, ${sizeText(report.bytesNew)}`],
    ['Uploaded', sizeText(report.bytesUploaded)],
    ['Deduplicated', countText(report.chunksDeduped, 'chunk')],
    ...leftOutRow(report),
    ['Took', durationText(report.durationSeconds)],
    ...(isPlain ? [['Compression', `off: this service ${UNCOMPRESSED}`]] : []),
  ];
  return [title, ...alignColumns(rows).map((row) => `  ${row}`), ...noteLines(report)];
}

/** What keeps nothing out of the backup, and is worth knowing. */
function noteLines({ notes }: BackupReport): string[] {
  return notes.length === 0 ? [] : ['', 'Notes:', ...notes.map((note) => `  ${warningText(note)}`)];
}

/** How much the rules of the set have left out; nothing if that is nothing. */
function leftOutRow({ leftOut }: BackupReport): [string, string][] {
  const { files, bytes, isAtLeast } = sumOf(leftOut);
  if (files === 0 && !isAtLeast) return [];
  return [['Left out', `${isAtLeast ? 'at least ' : ''}${countText(files, 'file')}, ${sizeText(bytes)}`]];
}

function dryRunLines(name: string, report: BackupReport): string[] {
  const rows = [
    ['Scanned', `${countText(report.filesProcessed, 'file')}, ${sizeText(report.bytesScanned)}`],
    ['New or changed', sizeText(report.bytesChanged)],
    ['Took', durationText(report.durationSeconds)],
  ];
  const rules = report.leftOut.map(({ rule, files, bytes }) => [
    printable(rule),
    countText(files, 'file'),
    sizeText(bytes),
  ]);
  return [
    `This is what a backup of ${name} would find; nothing was sent.`,
    ...alignColumns(rows).map((row) => `  ${row}`),
    ...(rules.length === 0 ? [] : ['', 'Left out by rules:']),
    ...alignColumns(rules, [1, 2]).map((row) => `  ${row}`),
  ];
}
