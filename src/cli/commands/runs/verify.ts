import { Command } from 'commander';
import { failureOf, type Failure } from '../../../base/errors/failure.ts';
import type { VerifyReport } from '../../../restore/types.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import { failureText as sentencesOf } from '../../failure-sentences.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { countText, sizeText } from '../../text.ts';
import { atOption, destinationOption, deviceOption, LIMIT_HELP, limitOption, NEAREST, percent } from '../arguments.ts';
import { locatedSet } from '../located-set.ts';
import { readElsewhere, readingJson, readingLines, type Reading } from './reading-text.ts';
import { failureJson, failureText, warningText } from './warnings.ts';

interface Options extends GlobalOptions, TransferLimits {
  readonly at: string;
  readonly all?: boolean;
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
    .option('--all', 'check every restore point, at every destination or that of --destination')
    .option('--sample <percent>', 'check only this percentage of the chunks, chosen at random', percent, 100)
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .addHelpText('after', LIMIT_HELP)
    .action((name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, async (context) => {
        if (options.all) return await verifyAll(name, options, context);
        const { pointInTime } = await import('../../../agent/input/point-in-time.ts');
        const at = await pointInTime(options.at, Date.now());
        const { agent, reference } = await locatedSet(name, options, context);
        const progress = await context.progress();
        const report = await agent.verify(
          { ...options, ...reference, at, samplePercent: options.sample },
          { signal: context.signal, onProgress: (state) => progress.show(state) },
        );
        progress.end();
        return outcomeOf(verified(name, report));
      });
    });
}

/** A restore point that cannot be opened at all. */
const UNREADABLE = new Set<string>(['tree_invalid', 'chunk_missing', 'chunk_tampered', 'chunk_corrupt']);

async function verifyAll(name: string, options: Options, context: CommandContext): Promise<Outcome> {
  const { agent, reference, destination } = await locatedSet(name, options, context);
  const places =
    destination === undefined
      ? await agent.pointsEverywhere(reference, context)
      : [{ entry: { name: destination }, points: await agent.points(reference, context) }];
  const progress = await context.progress();
  const results: Verified[] = [];
  for (const { entry, points, ...rest } of places) {
    if ('failure' in rest && rest.failure) results.push(unreadable(entry.name, rest.failure));
    const there = await context.agent(entry.name);
    for (const { restore_point: restorePoint } of points) {
      const at = Date.parse(restorePoint);
      try {
        const report = await there.verify(
          { ...options, ...reference, at, samplePercent: options.sample },
          { signal: context.signal, onProgress: (state) => progress.show(state) },
        );
        results.push(verified(name, report));
      } catch (error) {
        const failure = failureOf(error);
        if (!failure || !UNREADABLE.has(failure.code)) throw error;
        results.push(unreadable(`${name} at ${restorePoint}`, failure));
      }
    }
  }
  progress.end();
  return combined(results);
}

function unreadable(what: string, failure: Failure): Verified {
  const { what: reason } = sentencesOf(failure);
  return { value: { failure }, lines: [`${what} cannot be checked: ${reason}`], exitCode: 1, warnings: [] };
}

function combined(results: readonly Verified[]): Outcome {
  const codes = results.map(({ exitCode }) => exitCode);
  return outcomeOf({
    value: { restore_points: results.map(({ value }) => value) },
    lines: results.flatMap(({ lines }) => lines),
    exitCode: codes.find((code) => code === 1) ?? codes.find((code) => code === 3) ?? 0,
    warnings: results.flatMap(({ warnings }) => warnings),
  });
}

/** The result for one restore point. */
interface Verified {
  readonly value: object;
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1 | 3;
  readonly warnings: readonly string[];
}

function outcomeOf({ value, lines, exitCode, warnings }: Verified): Outcome {
  return outcome(value, lines, { exitCode, warnings });
}

function verified(name: string, report: VerifyReport & Reading): Verified {
  const { failuresTotal, warnings } = report;
  const checked = `${countText(report.chunksChecked, 'chunk')} of ${countText(report.filesChecked, 'file')}, ${sizeText(report.bytesChecked)}, checked`;
  const lines =
    failuresTotal === 0
      ? [`${name} at ${report.restorePoint} is in order: ${checked}.`]
      : [
          `${name} at ${report.restorePoint} is damaged: ${countText(failuresTotal, 'failure')} in ${countText(report.filesDamaged, 'file')}; ${checked}.`,
        ];
  const value = {
    restore_point: report.restorePoint,
    files_checked: report.filesChecked,
    chunks_checked: report.chunksChecked,
    bytes_checked: report.bytesChecked,
    bytes_downloaded: report.bytesDownloaded,
    files_damaged: report.filesDamaged,
    failures: report.failures.map(failureJson),
    failures_total: failuresTotal,
    warnings,
    ...readingJson(report),
  };
  const elsewhere = readElsewhere(report);
  return {
    value,
    lines: [...lines, ...readingLines(report)],
    exitCode: failuresTotal > 0 ? 1 : warnings.length + elsewhere.length > 0 ? 3 : 0,
    warnings: [
      ...report.failures.map((failure) => `damaged: ${failureText(failure)}`),
      ...warnings.map(warningText),
      ...elsewhere,
    ],
  };
}
