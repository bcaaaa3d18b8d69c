import { Command } from 'commander';
import type { CheckReport } from '../../../agent/operations/check.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { destinationOption, FIRST, percent } from '../arguments.ts';
import { checkedText, checkJson, damageText, findingLines, inOnePackLines, unfinishedLines } from './check-text.ts';

/** The options of `withReadData`. */
export interface ReadDataOptions extends GlobalOptions {
  readonly readData?: boolean;
  readonly subset?: number;
  readonly destination?: string;
}

export function checkCommand(run: Run): Command {
  return withReadData(
    new Command('check')
      .summary('check the whole destination for damage')
      .description(
        'Checks the destination itself: that no file is damaged or missing, and which restore points need one that is. ' +
          'The next backup stores again what this computer still has. Changes nothing at the destination.',
      ),
  ).action((_options: unknown, command: Command) => {
    const options = command.optsWithGlobals<ReadDataOptions>();
    return run(options, async (context) => {
      const request = readDataOf(options);
      const agent = await context.agent(options.destination);
      const progress = await context.progress();
      const report = await agent.check(request, {
        signal: context.signal,
        onProgress: (state) => progress.show(state),
      });
      progress.end();
      return checkOutcome(report);
    });
  });
}

export function withReadData(command: Command): Command {
  return command
    .option('--read-data', 'read and decrypt everything, which takes as long as copying it')
    .option('--subset <percent>', 'with --read-data: only this percentage of the files, chosen at random', percent)
    .addOption(destinationOption(FIRST));
}

/** @throws HoldfastError `usage` for `--subset` alone */
export function readDataOf({ readData, subset }: ReadDataOptions): { readonly percent: number | undefined } {
  return { percent: readData === true || subset !== undefined ? (subset ?? 100) : undefined };
}

function checkOutcome(report: CheckReport): Outcome {
  const { findingsTotal, lossesTotal, isProjectionSound, unfinished, inOnePack } = report;
  const isSound = findingsTotal === 0 && lossesTotal === 0 && isProjectionSound;
  const lines = [
    isSound
      ? `${unfinished.length === 0 ? 'No damage was found' : 'What is listed is not damaged'}: ${checkedText(report)}.`
      : `Damage was found: ${damageText(report)}. Checked: ${checkedText(report)}.`,
    ...unfinishedLines(report),
  ];
  if (findingsTotal > 0 || !isProjectionSound || unfinished.length > 0) lines.push('Repair it with: holdfast repair');
  else if (lossesTotal > 0) lines.push('A backup of a computer that still has these files stores them again.');
  return outcome(checkJson(report), lines, {
    exitCode: isSound ? (inOnePack.blobs > 0 ? 3 : 0) : 1,
    warnings: [...findingLines(report), ...inOnePackLines(report)],
  });
}
