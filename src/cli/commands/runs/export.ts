import { Command, Option } from 'commander';
import type { ExportReport } from '../../../restore/export/export-point.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { countText, printable, sizeText } from '../../text.ts';
import { atOption, collected, destinationOption, deviceOption, NEAREST } from '../arguments.ts';
import { locatedSet } from '../located-set.ts';
import { failureJson, failureText, warningText } from './warnings.ts';

interface Options extends GlobalOptions {
  readonly at: string;
  readonly path: readonly string[];
  readonly to: string;
  readonly format?: 'tar' | 'zip';
  readonly device?: string;
  readonly destination?: string;
}

const HELP_END = `
Examples:
  holdfast export documents --to documents.zip
  holdfast export documents --at yesterday --path ~/Documents/letters --format tar --to - | tar -tv`;

export function exportCommand(run: Run): Command {
  return new Command('export')
    .summary('write files as a tar or zip archive')
    .description(
      'Writes a set, or some paths of it, as it was at a given time, as one archive that other programs open. A small file ' +
        'that is damaged is left out, and the damaged parts of a larger one are zeroes; both are named.',
    )
    .argument('<name>', 'the backup set')
    .addOption(atOption())
    .option('--path <path>', 'only this file or folder; may be given several times', collected, [])
    .requiredOption('--to <file>', 'a new file, or - for the standard output')
    .addOption(new Option('--format <format>', 'by default that of the ending .tar or .zip').choices(['tar', 'zip']))
    .addOption(destinationOption(NEAREST))
    .addOption(deviceOption())
    .addHelpText('after', HELP_END)
    .action((name: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, (context) => exportSet(name, options, context));
    });
}

async function exportSet(name: string, options: Options, context: CommandContext): Promise<Outcome> {
  const format = await formatOf(options);
  const { pointInTime } = await import('../../../agent/input/point-in-time.ts');
  const at = await pointInTime(options.at, Date.now());
  const { agent, reference } = await locatedSet(name, options, context);
  const isStream = options.to === '-';
  if (isStream) context.output.streams.isArchive = true;
  const report = await agent.exportPoint(
    {
      ...reference,
      at,
      paths: options.path,
      format,
      to: isStream ? context.output.streams.out : options.to,
    },
    { signal: context.signal },
  );
  return exportOutcome(name, report, isStream ? undefined : options.to);
}

async function formatOf({ format, to, json }: Options): Promise<'tar' | 'zip'> {
  const { wrongUsage } = await import('../../../base/errors/errors.ts');
  const refused = (message: string): Error => wrongUsage({ problem: 'options', message });
  if (to === '-' && json === true) throw refused('The archive and --json cannot both go to the standard output.');
  const ending = /\.(tar|zip)$/i.exec(to)?.[1]?.toLowerCase();
  const found = format ?? (ending as 'tar' | 'zip' | undefined);
  if (found === undefined) throw refused('Specify --format tar or --format zip, or a file with that ending.');
  return found;
}

function exportOutcome(name: string, report: ExportReport, file: string | undefined): Outcome {
  const unnamed = report.failuresTotal - report.failures.length;
  const warnings = [
    ...report.failures.map((failure) => `not exported as it was: ${failureText(failure)}`),
    ...(unnamed > 0 ? [`and ${countText(unnamed, 'more failure')}`] : []),
    ...report.warnings.map(warningText),
  ];
  const json = {
    restore_point: report.restorePoint,
    ...(file === undefined ? {} : { file }),
    files: report.files,
    bytes: report.bytes,
    failures: report.failures.map(failureJson),
    failures_total: report.failuresTotal,
    warnings: report.warnings,
  };
  const rows = [
    ['Restore point', report.restorePoint],
    ['Files', `${countText(report.files, 'file')}, ${sizeText(report.bytes)}`],
  ];
  const lines =
    file === undefined
      ? []
      : [`Exported ${printable(name)} to ${printable(file)}.`, ...alignColumns(rows).map((row) => `  ${row}`)];
  return outcome(json, lines, { exitCode: warnings.length > 0 ? 3 : 0, warnings });
}
