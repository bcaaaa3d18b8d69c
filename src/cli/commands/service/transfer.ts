import { Command } from 'commander';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';
import { countText } from '../../text.ts';

interface TransferOptions extends GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly database?: string;
  readonly to?: string;
  readonly from?: string;
}

const HELP = `
It holds everything but the blobs, which stay where they are. Whoever has the file can sign in as anybody:
keep it like a key, and delete it afterwards. See docs/self-hosting.md.`;

export function exportCommand(run: Run): Command {
  const command = new Command('export')
    .description('Exports all metadata of the service to a file, for import into another kind of database.')
    .requiredOption('--to <file>', 'a new file');
  return withDatabaseOptions(command).action((_options: unknown, exporting: Command) => {
    const options = exporting.optsWithGlobals<TransferOptions>();
    return run(options, async ({ environment }) => {
      const { exportServiceData } = await import('../../../service/administration/service-transfer.ts');
      const { config, data, database, to = '' } = options;
      const report = await exportServiceData({ data, database }, environment, config, to);
      return outcome({ file: to, ...report }, [`Exported ${amounts(report)} to ${to}.`]);
    });
  });
}

export function importCommand(run: Run): Command {
  const command = new Command('import')
    .description('Fills an empty database from an exported file, and counts and compares all of it.')
    .requiredOption('--from <file>', 'what "service export" wrote');
  return withDatabaseOptions(command).action((_options: unknown, importing: Command) => {
    const options = importing.optsWithGlobals<TransferOptions>();
    return run(options, async ({ environment }) => {
      const { importServiceData } = await import('../../../service/administration/service-transfer.ts');
      const { config, data, database, from = '' } = options;
      const report = await importServiceData({ data, database }, environment, config, from);
      return outcome(report, [`Imported ${amounts(report)}; the database gives all of it back.`]);
    });
  });
}

function withDatabaseOptions(command: Command): Command {
  return command
    .option('--config <file>', "the service's config file")
    .option('--data <dir>', "the service's folder")
    .option('--database <url>', 'postgres://USER@HOST/NAME in place of SQLite')
    .addHelpText('after', HELP);
}

function amounts({ tables, rows }: { readonly tables: number; readonly rows: number }): string {
  return `${countText(rows, 'row')} of ${countText(tables, 'table')}`;
}
