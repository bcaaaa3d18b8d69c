import { Command } from 'commander';
import type { VerifyReport } from '../../../engine/restore/types.ts';
import type { TransferLimits } from '../../../engine/transfer/http/rate-limited-http.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { countText } from '../../text.ts';
import { atOption, destinationOption, deviceOption, LIMIT_HELP, limitOption, NEAREST, percent } from '../arguments.ts';
import { readElsewhere, readingJson, readingLines, type Reading } from './reading-text.ts';
import { failureJson, failureText, warningText } from './warnings.ts';

interface Options extends GlobalOptions, TransferLimits {
  readonly at: string;
  readonly sample: number;
  readonly device?: string;
  readonly destination?: string;
}

export function verifyCommand(run: Run): Command {
  return new Command('verify')
    .summary('check that a restore point can be restored')
    .description('Downloads, opens and checks every chunk of a restore point, or a sample of them. Nothing is written.')
    .argument('<name>', 'the backup set')
    .addOption(atOption())
    .option('--sample <percent>', 'check only this percentage of the chunks, chosen at random', percent, 100)
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .addHelpText('after', LIMIT_HELP)
    .action((name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        const { pointInTime } = await import('../../../agent/input/point-in-time.ts');
        const at = await pointInTime(options.at, Date.now());
        const agent = await context.agent(options.destination);
        const progress = await context.progress();
        const report = await agent.verify(
          { ...options, set: name, at, samplePercent: options.sample },
          { signal: context.signal, onProgress: (state) => progress.show(state) },
        );
        progress.end();
        return verifyOutcome(name, report);
      });
    });
}

function verifyOutcome(name: string, report: VerifyReport & Reading): Outcome {
  const { failuresTotal, warnings } = report;
  const checked = `${countText(report.chunksChecked, 'chunk')} of ${countText(report.filesChecked, 'file')} checked`;
  const lines =
    failuresTotal === 0
      ? [`${name} at ${report.restorePoint} is in order: ${checked}.`]
      : [`${name} at ${report.restorePoint} is damaged: ${countText(failuresTotal, 'failure')}, ${checked}.`];
  const value = {
    restore_point: report.restorePoint,
    files_checked: report.filesChecked,
    chunks_checked: report.chunksChecked,
    failures: report.failures.map(failureJson),
    failures_total: failuresTotal,
    warnings,
    ...readingJson(report),
  };
  const elsewhere = readElsewhere(report);
  return outcome(value, [...lines, ...readingLines(report)], {
    exitCode: failuresTotal > 0 ? 1 : warnings.length + elsewhere.length > 0 ? 3 : 0,
    warnings: [
      ...report.failures.map((failure) => `damaged: ${failureText(failure)}`),
      ...warnings.map(warningText),
      ...elsewhere,
    ],
  });
}
