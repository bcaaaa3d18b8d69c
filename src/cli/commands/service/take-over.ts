import { Command } from 'commander';
import { outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';

interface TakeOverOptions extends GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly database?: string;
}

export function takeOverCommand(run: Run): Command {
  return new Command('take-over')
    .description(
      'Makes a copy of a service the service itself: until then it sends no webhooks and deletes no blobs, since the original may be running.',
    )
    .option('--config <file>', "the service's config file")
    .option('--data <dir>', "the service's folder")
    .option('--database <url>', 'postgres://USER@HOST/NAME in place of SQLite')
    .action((_options: unknown, command: Command) => {
      const { config, data, database, ...options } = command.optsWithGlobals<TakeOverOptions>();
      return run(options, async ({ environment }) => {
        const { takeOverService } = await import('../../../service/administration/service-take-over.ts');
        const changed = await takeOverService({ data, database }, environment, config);
        const line = changed
          ? 'This is the service now. Its webhooks are sent from here; do not start the original again.'
          : 'This is the service already.';
        return outcome({ taken_over: changed }, [line]);
      });
    });
}
