import { Command } from 'commander';
import type { DrillReport } from '../../../restore/types.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { alignColumns } from '../../columns.ts';
import { outcome, type Outcome } from '../../outcome.ts';
import type { CommandContext, GlobalOptions, Run } from '../../runner.ts';
import { countText, printable, sizeText } from '../../text.ts';
import { destinationOption, LIMIT_HELP, limitOption, NEAREST } from '../arguments.ts';
import { locatedSet } from '../located-set.ts';
import { readElsewhere, readingJson, readingLines, type Reading } from './reading-text.ts';
import { failureJson, failureText, warningText } from './warnings.ts';

interface Options extends GlobalOptions, TransferLimits {
  readonly certificate?: string;
  readonly destination?: string;
}

interface Drilled {
  readonly set: string;
  readonly report: DrillReport & Reading;
}

export function drillCommand(run: Run): Command {
  return new Command('drill')
    .summary('restore a sample and compare it')
    .description(
      'Restores the newest files of the newest restore point and random ones, 256 MiB at most, to a temporary folder, as any ' +
        'restore would. Every byte is read again and compared with what the backup proves, and with the file on this ' +
        'computer if it is unchanged. The folder is removed again.',
    )
    .argument('[name]', 'the backup set; all by default')
    .option('--certificate <file>', 'write a page that can be printed, with the result and the hashes')
    .addOption(destinationOption(NEAREST))
    .addOption(limitOption('upload'))
    .addOption(limitOption('download'))
    .addHelpText('after', LIMIT_HELP)
    .action((name: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return run(options, (context) => drillAll(name, options, context));
    });
}

async function drillAll(name: string | undefined, options: Options, context: CommandContext): Promise<Outcome> {
  const agent = await context.agent(options.destination);
  const sets = name === undefined ? (await agent.sets()).map((set) => set.name) : [name];
  const progress = await context.progress();
  const results: Drilled[] = [];
  for (const set of sets) {
    const { agent: there, reference } = await locatedSet(set, options, context);
    const report = await there.drill(
      { ...options, ...reference, at: 'latest' },
      { signal: context.signal, onProgress: (state) => progress.show(state) },
    );
    results.push({ set, report });
  }
  progress.end();
  if (options.certificate !== undefined) await writeCertificate(options.certificate, sets, context);
  return drillOutcome(results, options.certificate);
}

async function writeCertificate(file: string, sets: readonly string[], context: CommandContext): Promise<void> {
  const { certificatePage } = await import('../../../strings/certificate-page.ts');
  const { languageOf } = await import('../../../strings/strings.ts');
  const { writeFileAtomicallySync } = await import('../../../base/files/atomic-file.ts');
  const { HoldfastError, systemCodeOf } = await import('../../../base/errors/errors.ts');
  const agent = await context.agent();
  const page = certificatePage(await agent.drillCertificate({ sets }), languageOf('en', []));
  try {
    writeFileAtomicallySync(file, page);
  } catch (error) {
    const reason = systemCodeOf(error);
    if (reason === undefined) throw error;
    throw new HoldfastError('target_unwritable', { target: file, reason }, { cause: error });
  }
}

function drillOutcome(results: readonly Drilled[], certificate: string | undefined): Outcome {
  const failed = results.some(({ report }) => report.failuresTotal > 0);
  const warnings = results.flatMap(({ report }) => [
    ...report.failures.map((failure) => `not restored as it was: ${failureText(failure)}`),
    ...report.warnings.map(warningText),
    ...readElsewhere(report),
  ]);
  const json = {
    drills: results.map(drillJson),
    ...(certificate === undefined ? {} : { certificate }),
  };
  const lines = [
    ...results.flatMap(drillLines),
    ...(results.length === 0 ? ['There is no backup set yet.'] : []),
    ...(certificate === undefined ? [] : [`The certificate is in ${printable(certificate)}.`]),
  ];
  return outcome(json, lines, { exitCode: failed ? 1 : warnings.length > 0 ? 3 : 0, warnings });
}

function drillJson({ set, report }: Drilled): object {
  return {
    set,
    restore_point: report.restorePoint,
    result: report.failuresTotal === 0 ? 'passed' : 'failed',
    point_files: report.pointFiles,
    point_bytes: report.pointBytes,
    newest_files: report.newestFiles,
    random_files: report.randomFiles,
    files_restored: report.filesRestored,
    bytes_restored: report.bytesWritten,
    bytes_downloaded: report.bytesDownloaded,
    files_compared: report.filesCompared,
    files_same_on_disk: report.filesSameOnDisk,
    digest: report.digest,
    sample: report.sample,
    failures: report.failures.map(failureJson),
    failures_total: report.failuresTotal,
    warnings: report.warnings,
    ...readingJson(report),
  };
}

function drillLines({ set, report }: Drilled): string[] {
  const title =
    report.failuresTotal === 0
      ? `${printable(set)} can be restored: ${countText(report.filesCompared, 'file')} compared, all as backed up.`
      : `${printable(set)} cannot be restored as it was: see below.`;
  const rows = [
    ['Restore point', report.restorePoint],
    ['Restored', `${countText(report.filesRestored, 'file')}, ${sizeText(report.bytesWritten)}`],
    ['Chosen', `${report.newestFiles} newest, ${report.randomFiles} at random`],
    ['Of', `${countText(report.pointFiles, 'file')}, ${sizeText(report.pointBytes)}`],
    ['Same on disk', countText(report.filesSameOnDisk, 'file')],
    ['SHA-256 of all', report.digest],
  ];
  return [title, ...alignColumns(rows).map((row) => `  ${row}`), ...readingLines(report)];
}
