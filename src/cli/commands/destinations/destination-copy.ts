import { Command } from 'commander';
import type { DestinationCopy } from '../../../agent/operations/copy-destination.ts';
import type { CopyFailure, SkippedPoint, SkipReason } from '../../../copy/types.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { countText, printable, sizeText } from '../../text.ts';
import { LIMIT_HELP, limitOption } from '../arguments.ts';

interface Options extends GlobalOptions, TransferLimits {
  readonly latest?: boolean;
}

const HELP_END = `${LIMIT_HELP}

Example:
  holdfast destination copy "Backup disk" nas documents`;

export function destinationCopyCommand(run: Run): Command {
  return new Command('copy')
    .summary('copy restore points to another destination')
    .description(
      "Copies this computer's restore points, of all sets or of one, as they are: nothing is read from the sources. Only what the " +
        'other destination lacks is sent. To continue an interrupted copy, run it again. A service takes only restore points after ' +
        'the newest one there; the others are named, and the exit code is 3.',
    )
    .argument('<from>', 'the destination to copy from')
    .argument('<to>', 'the destination to copy to')
    .argument('[set]', 'only this backup set')
    .option('--latest', 'only the newest restore point of each set')
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .addHelpText('after', HELP_END)
    .action((from: string, to: string, set: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const agent = await context.agent();
        const progress = await context.progress();
        const report = await agent.copyDestination(
          { ...options, from, to, set },
          { signal: context.signal, onProgress: (state) => progress.show(state) },
        );
        progress.end();
        return copyOutcome(report);
      });
    });
}

function copyOutcome(report: DestinationCopy): Outcome {
  const { failures } = report;
  const left = leftOut(report);
  return outcome(copyJson(report), copyLines(report), {
    exitCode: failures.length > 0 ? 1 : left.length > 0 ? 3 : 0,
    warnings: [...failures.map(failureText), ...left.map((point) => leftText(point, report.to))].map(
      (text) => `not copied: ${text}`,
    ),
  });
}

function copyJson({
  from,
  to,
  pointsCopied,
  pointsMended,
  pointsSkipped,
  bytesCopied,
  failures,
}: DestinationCopy): object {
  return {
    from,
    to,
    points_copied: pointsCopied,
    points_mended: pointsMended,
    points_skipped: pointsSkipped.map(({ set, restorePoint, reason }) => ({
      set,
      restore_point: restorePoint,
      reason,
    })),
    bytes_copied: bytesCopied,
    failures: failures.map(({ set, restorePoint, path, chunk, reason }) => ({
      set,
      restore_point: restorePoint,
      path: path ?? null,
      chunk: chunk ?? null,
      reason,
    })),
  };
}

function copyLines(report: DestinationCopy): string[] {
  const { from, to, pointsCopied, pointsMended, pointsSkipped, bytesCopied, failures } = report;
  const points = (count: number): string => countText(count, 'restore point');
  const left = leftOut(report).length;
  const present = pointsSkipped.length - left;
  const rows = [
    ['Copied', points(pointsCopied)],
    ...(pointsMended > 0 ? [['Mended', points(pointsMended)]] : []),
    ...(present > 0 ? [['There already', points(present)]] : []),
    ...(failures.length > 0 ? [['Damaged', points(failures.length)]] : []),
    ...(left > 0 ? [['Not accepted', points(left)]] : []),
    ['Sent', sizeText(bytesCopied)],
  ];
  const title =
    failures.length + left > 0
      ? `Copied what could be copied from ${printable(from)} to ${printable(to)}.`
      : `Copied ${printable(from)} to ${printable(to)}.`;
  return [title, ...alignColumns(rows).map((row) => `  ${row}`)];
}

/** Restore points that the other destination lacks and cannot take. */
function leftOut({ pointsSkipped }: Pick<DestinationCopy, 'pointsSkipped'>): readonly SkippedPoint[] {
  return pointsSkipped.filter(({ reason }) => reason !== 'present');
}

function leftText({ set, restorePoint, reason }: SkippedPoint, to: string): string {
  return `${printable(set)} at ${restorePoint}: ${becauseText(reason, printable(to))}`;
}

function becauseText(reason: SkipReason, to: string): string {
  switch (reason) {
    case 'older':
      return `older than the newest one at ${to}`;
    case 'damaged':
      return `${to} has lost a part of it that could not be sent`;
    default:
      return 'made by another program';
  }
}

function failureText({ set, restorePoint, path, chunk, reason }: CopyFailure): string {
  const more = [path === undefined ? undefined : printable(path), chunk].filter((part) => part !== undefined);
  return `${printable(set)} at ${restorePoint}: ${reason}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}
