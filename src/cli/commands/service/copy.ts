import { Command } from 'commander';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { countText, sizeText } from '../../text.ts';

interface CopyOptions extends GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly to: string;
}

export function copyCommand(run: Run): Command {
  return new Command('copy')
    .description(
      'Copies the folder of a service, which may be running, to one that a service can be started from. Run again, it copies only what is new.',
    )
    .option('--config <file>', "the service's config file")
    .option('--data <dir>', "the service's folder")
    .requiredOption('--to <dir>', 'a new folder, or one with an earlier copy')
    .action((_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<CopyOptions>();
      return run(options, async ({ environment }) => {
        const { copyServiceData } = await import('../../../service/administration/service-copy.ts');
        const { config, data, to } = options;
        const report = await copyServiceData({ data }, environment, config, to);
        const { files_copied: copied, bytes_copied: bytes, files_kept: kept, blobs_missing: missing } = report;
        const lines = [`Copied ${countText(copied, 'file')} (${sizeText(bytes)}) to ${to}; ${kept} already existed.`];
        if (missing === 0) return outcome(report, lines);
        const warnings = [
          `the service itself has lost ${countText(missing, 'blob')}: the next backups upload them again`,
        ];
        return outcome(report, lines, { warnings, exitCode: 3 });
      });
    });
}
